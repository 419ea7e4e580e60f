package dev.jobs.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.jobs.Cursor;
import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobContext;
import dev.jobs.NoResultException;
import dev.jobs.NotInTimeException;
import dev.jobs.Signal;
import dev.jobs.JobState;
import dev.jobs.Step;
import dev.jobs.store.support.TrailBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The context for a test that calls a handler like any other method. It returns the
 * test's values and records the handler's reports. When {@link JobContext} gets more
 * methods, so does this class.
 */
public final class TestJobContext implements JobContext {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final Map<String, Object> attributes = new HashMap<>();

	private final List<String> checkIns = new ArrayList<>();

	private final Map<String, @Nullable Object> saved = new LinkedHashMap<>();

	private final Set<String> used = new HashSet<>();

	private boolean stopping;

	private Job job;

	private Progress progress;

	private boolean cancelled;

	private boolean leaseLost;

	/**
	 * Create the context of the first attempt of a job without headers.
	 * @param name the logical name of the job
	 */
	public TestJobContext(String name) {
		this(Job.builder("test-1", name)
			.state(JobState.RUNNING)
			.createdAt(NOW)
			.dueAt(NOW)
			.run(Job.Run.of("test", 1, NOW))
			.build());
	}

	/**
	 * Create the context of a job.
	 * @param job the job, whose {@link Job#run() run} has the fencing token
	 */
	public TestJobContext(Job job) {
		this.job = job;
		this.progress = Progress.of(null, 0, 0, job.dueAt());
	}

	/**
	 * Set the number of the attempt, as if those before it had failed.
	 * @param number the number, from 1
	 * @return this context
	 */
	public TestJobContext attempt(int number) {
		this.job = this.job.toBuilder().trail(new TrailBuilder().failures(number - 1).build()).build();
		return this;
	}

	/**
	 * Add a header to the job, such as {@code jobs.tick}.
	 * @param name the header's name
	 * @param value its value
	 * @return this context
	 */
	public TestJobContext header(String name, String value) {
		Map<String, String> headers = new HashMap<>(this.job.headers());
		headers.put(name, value);
		this.job = this.job.toBuilder().headers(headers).build();
		return this;
	}

	/**
	 * Ask the handler to end, as if the job were cancelled or the worker stopped.
	 * @return this context
	 */
	public TestJobContext cancel() {
		this.cancelled = true;
		return this;
	}

	/**
	 * Lose the lease, and ask the handler to end.
	 * @return this context
	 */
	public TestJobContext loseLease() {
		this.leaseLost = true;
		return cancel();
	}

	/**
	 * Return the texts that the handler has checked in with.
	 * @return the texts, in their order
	 */
	public List<String> checkIns() {
		return List.copyOf(this.checkIns);
	}

	/**
	 * Return what an operator would see now.
	 * @return what the handler reported last
	 */
	public Progress progress() {
		return this.progress;
	}

	@Override
	public Job job() {
		return this.job;
	}

	@Override
	public Map<String, Object> attributes() {
		return this.attributes;
	}

	@Override
	public void checkIn(@Nullable String text) {
		if (text != null) {
			this.checkIns.add(text);
		}
		this.progress = Progress.of(text, this.progress.done(), this.progress.total(), this.progress.at());
	}

	@Override
	public void progress(long done, long total) {
		this.progress = Progress.of(this.progress.checkIn(), done, total, this.progress.at());
	}

	@Override
	public boolean cancelled() {
		return this.cancelled;
	}

	@Override
	public boolean leaseLost() {
		return this.leaseLost;
	}

	@Override
	public long fencingToken() {
		Job.Run run = this.job.run();
		return (run != null) ? run.token() : 0;
	}

	/**
	 * Let the job have saved the value of a step, or the position of a cursor, in an
	 * earlier run.
	 * @param name the name
	 * @param value the value
	 * @return this context
	 */
	public TestJobContext saved(String name, @Nullable Object value) {
		this.saved.put(name, value);
		return this;
	}

	/**
	 * Return what the job has saved by name: the values of steps, the positions of
	 * cursors, and for sleeps their durations.
	 */
	public Map<String, @Nullable Object> saved() {
		return Collections.unmodifiableMap(this.saved);
	}

	/**
	 * Ask the handler to yield, as a worker does that stops.
	 * @return this context
	 */
	public TestJobContext stopping() {
		this.stopping = true;
		return this;
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object, E extends Exception> T step(Step step, Class<T> type, Action<T, E> action)
			throws E {
		use(step.name());
		for (String name : Stream.concat(Stream.of(step.name()), step.formerNames().stream()).toList()) {
			if (this.saved.containsKey(name)) {
				return (T) this.saved.get(name);
			}
		}
		T value = action.run();
		this.saved.put(step.name(), value);
		return value;
	}

	/**
	 * Do the step as any other, in whatever transaction the test has.
	 */
	@Override
	public <T extends @Nullable Object, E extends Exception> T transactionalStep(Step step, Class<T> type,
			Action<T, E> action) throws E {
		return step(step, type, action);
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object> Cursor<T> cursor(String name, Class<T> type, T first) {
		use(name);
		Map<String, @Nullable Object> saved = this.saved;
		return new Cursor<>() {

			@Override
			public T get() {
				return saved.containsKey(name) ? (T) saved.get(name) : first;
			}

			@Override
			public void moveTo(T position) {
				saved.put(name, position);
			}

		};
	}

	/**
	 * Return at once, as if the time were over.
	 */
	@Override
	public void sleep(String name, Duration duration) {
		use(name);
		this.saved.putIfAbsent(name, duration);
	}

	@Override
	public boolean shouldYield() {
		return this.stopping || cancelled();
	}

	/**
	 * Let a signal have been sent.
	 * @param <T> the type of its value
	 * @param signal the signal
	 * @param subject what it is about
	 * @param value its value
	 * @return this context
	 */
	public <T> TestJobContext sent(Signal<T> signal, Object subject, T value) {
		return saved(signal.about(subject), value);
	}

	/**
	 * Let another job have returned a value.
	 * @param job its id
	 * @param value the value
	 * @return this context
	 */
	public TestJobContext returned(String job, @Nullable Object value) {
		return saved("job " + job, value);
	}

	/**
	 * Return the value of a signal that was sent. If none was, its time is over.
	 */
	@Override
	public <T> T await(Signal<T> signal, Object subject, Duration timeout) {
		String about = signal.about(subject);
		use(about);
		if (!this.saved.containsKey(about)) {
			throw new NotInTimeException("The signal " + about + " was not sent", id());
		}
		return signal.type().cast(this.saved.get(about));
	}

	/**
	 * Return what another job has returned. If it has not, it is gone.
	 */
	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object> T await(String job, Class<T> type) {
		use("job " + job);
		if (!this.saved.containsKey("job " + job)) {
			throw new NoResultException("Job " + job + " has returned nothing here", job, null, null);
		}
		return (T) this.saved.get("job " + job);
	}

	private void use(String name) {
		if (!this.used.add(name)) {
			throw new IllegalStateException("The name '" + name + "' was used before in this run");
		}
	}

}
