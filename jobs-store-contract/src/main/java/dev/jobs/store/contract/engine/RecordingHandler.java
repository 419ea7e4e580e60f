package dev.jobs.store.contract.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import dev.jobs.Handler;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import dev.jobs.engine.settings.HandlerDefinition;
import org.jspecify.annotations.Nullable;

/**
 * A handler that remembers what it was given, and then does what a test wants.
 */
final class RecordingHandler implements Handler<@Nullable Object> {

	private final List<@Nullable Object> payloads = Collections.synchronizedList(new ArrayList<>());

	private final List<Job> jobs = Collections.synchronizedList(new ArrayList<>());

	private volatile Handler<@Nullable Object> then = (payload, context) -> JobResult.done();

	@Override
	@SuppressWarnings("NullAway") // what a test gives knows whether there is a payload
	public JobResult handle(@Nullable Object payload, JobContext context) throws Exception {
		this.payloads.add(payload);
		this.jobs.add(context.job());
		return this.then.handle(payload, context);
	}

	/**
	 * Say what every run does from now on.
	 * @param then what it does
	 * @return this handler
	 */
	RecordingHandler then(Handler<@Nullable Object> then) {
		this.then = then;
		return this;
	}

	/**
	 * Fail every run from now on.
	 * @param message the exception's message
	 * @return this handler
	 */
	RecordingHandler thenFail(String message) {
		return then((payload, context) -> {
			throw new IllegalStateException(message);
		});
	}

	RecordingHandler thenReturn(JobResult result) {
		return then((payload, context) -> result);
	}

	HandlerDefinition named(String name) {
		return HandlerDefinition.of(name, Object.class, this);
	}

	/**
	 * Return what the runs were given, in their order.
	 */
	List<@Nullable Object> payloads() {
		return new ArrayList<>(this.payloads);
	}

	/**
	 * Return the jobs that were run, as they were then, in their order.
	 */
	List<Job> jobs() {
		return new ArrayList<>(this.jobs);
	}

	List<String> ids() {
		return jobs().stream().map(Job::id).toList();
	}

	int runs() {
		return this.jobs.size();
	}

}
