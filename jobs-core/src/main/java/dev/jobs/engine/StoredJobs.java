package dev.jobs.engine;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.PageRequest;
import dev.jobs.Rate;
import dev.jobs.WorkerStatus;
import dev.jobs.engine.context.Millis;
import dev.jobs.engine.enqueue.CallersStore;
import dev.jobs.engine.enqueue.NewJobs;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.engine.settings.OperatorSettings;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.engine.settings.Pool;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.StepMarks;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SettingsView;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;

/**
 * Looks stored jobs up and changes them, within the caller's transaction if the store can
 * join it.
 *
 * @param callers the store as the caller sees it
 * @param newJobs makes jobs of requests
 * @param own the pools of this application
 * @param marks the marks of transactional steps, or {@code null} if they are in the store
 */
record StoredJobs(CallersStore callers, NewJobs newJobs, List<Pool> own, @Nullable StepMarks marks) {

	JobStore store() {
		return this.callers.get();
	}

	JobInspector inspector() {
		return store().inspector();
	}

	Instant now() {
		return this.callers.now();
	}

	Optional<Job> find(String id) {
		return inspector().job(id, now()).map(this.newJobs.registry()::readable);
	}

	Optional<Job> findUnique(String name, String uniqueKey) {
		JobFilter owner = JobFilter.of((jobs) -> jobs.name(name).uniqueKey(uniqueKey));
		return page(owner, PageRequest.oldestFirst(1)).jobs().stream().findFirst().flatMap((job) -> find(job.id()));
	}

	JobPage page(JobFilter filter, PageRequest request) {
		JobPage page = inspector().page(filter, request, now());
		return JobPage.of(page.jobs().stream().map(this.newJobs.registry()::readable).toList(), page.next());
	}

	boolean cancel(String id) {
		return change(new Change.Cancel(id)) == Changed.DONE;
	}

	boolean reschedule(String id, Instant dueAt) {
		return change(new Change.Reschedule(id,
				Millis.roundUp(Objects.requireNonNull(dueAt, "'dueAt' must not be null")))) == Changed.DONE;
	}

	boolean replacePayload(String id, @Nullable Object payload) {
		Job job = find(id).orElse(null);
		if (job == null) {
			return false;
		}
		Changed changed = change(new Change.ReplacePayload(id, this.newJobs.payload(job.name(), payload)));
		if (changed == Changed.REFUSED) {
			throw new IllegalStateException("Job '%s' %s is %s, and only a job that waits can get another payload"
				.formatted(job.name(), id, find(id).orElse(job).state()));
		}
		return changed == Changed.DONE;
	}

	boolean forgetStep(String id, String name) {
		Changed changed = change(new Change.ForgetSaved(id, name));
		boolean marked = this.marks != null && changed != Changed.REFUSED && this.marks.forget(id, name);
		return changed == Changed.DONE || marked;
	}

	OperatorSettings settings() {
		return new OperatorSettings(inspector().operatorSettings());
	}

	/**
	 * Return a queue with the settings of operators for its workers and those of this
	 * application.
	 */
	QueueView with(QueueView queue, OperatorSettings settings) {
		Registered handler = this.newJobs.registry().find(queue.name());
		HandlerOptions own = (handler != null) ? handler.own() : null;
		SettingsView set = queue.settings();
		return queue.with(new SettingsView(set.version(), set.paused(),
				Value.over(set.limit(), (own != null) ? own.getMaxConcurrency() : null),
				Value.over(settings.number(Kind.WEIGHT, queue.name()), (own != null) ? own.getPriority() : null),
				Value.over(settings.number(Kind.ATTEMPTS, queue.name()),
						(own != null) ? own.getRetryPolicy().getMaxAttempts() : null),
				rate(settings.rate(Kind.RATE, queue.name()), (own != null) ? own.getRate() : null),
				rate(settings.rate(Kind.LANES_RATE, queue.name()), (own != null) ? own.getLaneRate() : null)));
	}

	private static @Nullable Value<String> rate(@Nullable Value<Rate> set, @Nullable Rate configured) {
		if (set == null) {
			return null;
		}
		return new Value<>(set.value().toText(), set.at(), set.by(), (configured != null) ? configured.toText() : null);
	}

	List<WorkerStatus> workers() {
		OperatorSettings settings = settings();
		return inspector().workers(now())
			.stream()
			.<WorkerStatus>map((worker) -> new WorkerView(worker.id(), worker.info(), worker.lastBeat(),
					worker.leaseUntil(), worker.running(), settings.on(Kind.QUIET, worker.id())))
			.toList();
	}

	boolean hasHandler(String name) {
		return this.newJobs.registry().find(name) != null;
	}

	/**
	 * Return whether this application has the handler of a queue, and orders its lanes.
	 */
	boolean hasOrderedLanes(String name) {
		Registered handler = this.newJobs.registry().find(name);
		return handler != null && handler.options().isOrderedLanes();
	}

	/**
	 * Return the names alphabetically nearest to a misspelt one, as the end of a message.
	 */
	static <T> String near(String name, List<T> known, Function<T, String> naming) {
		TreeSet<String> names = new TreeSet<>(known.stream().map(naming).toList());
		return "; the nearest known are " + Stream
			.concat(names.headSet(name, false).descendingSet().stream().limit(5), names.tailSet(name).stream().limit(5))
			.sorted()
			.toList();
	}

	/**
	 * Change a queue or a schedule. Another program may have stored one under any name.
	 */
	Changed changeNamed(String name, Change change) {
		try {
			HandlerDefinition.requireValidName(name);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalStateException(
					"Another program stored '" + name + "', and nothing can be done to it, as that name is not valid",
					ex);
		}
		return change(change);
	}

	Changed change(Change change) {
		return store().change(List.of(change), now()).get(0);
	}

}
