package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Change.Changes;
import org.jspecify.annotations.Nullable;

/**
 * One call for any number of changes. A change of a job goes to the partition that its id
 * tells of, and to all others if it is not found there.
 */
final class Changing {

	private static final int MOST_AT_ONCE = 500;

	private final Link link;

	private final Partitions partitions;

	private final List<Asked> asked;

	private final Instant now;

	private final Changed[] changed;

	Changing(Link link, Partitions partitions, List<Change> changes, Instant now) {
		this.link = link;
		this.partitions = partitions;
		Asking asking = new Asking();
		this.asked = changes.stream().map((change) -> change.applyTo(asking)).toList();
		this.now = now;
		this.changed = new Changed[changes.size()];
		Arrays.fill(this.changed, Changed.NOT_FOUND);
	}

	/**
	 * Changes of jobs and of queues don't overtake each other.
	 */
	List<Changed> run() {
		int from = 0;
		for (int to = 1; to <= this.asked.size(); to++) {
			if (to == this.asked.size() || this.asked.get(to).isOfJob() != this.asked.get(from).isOfJob()) {
				run(from, to);
				from = to;
			}
		}
		return Arrays.asList(this.changed);
	}

	private void run(int from, int to) {
		Map<Integer, List<Integer>> places = new LinkedHashMap<>();
		for (int place = from; place < to; place++) {
			for (int partition : partitions(this.asked.get(place))) {
				places.computeIfAbsent(partition, (key) -> new ArrayList<>()).add(place);
			}
		}
		places.forEach(this::send);
		List<Integer> missing = IntStream.range(from, to)
			.filter((place) -> this.changed[place] == Changed.NOT_FOUND && this.asked.get(place).isOfJob())
			.boxed()
			.toList();
		if (!missing.isEmpty() && this.partitions.count() > 1) {
			this.partitions.all().forEach((partition) -> send(partition, missing));
		}
	}

	private List<Integer> partitions(Asked asked) {
		if (asked.job() != null) {
			return List.of(this.partitions.guess(asked.job()));
		}
		return (asked.queue() != null) ? List.of(this.partitions.of(asked.queue())) : this.partitions.all();
	}

	private void send(int partition, List<Integer> places) {
		for (int from = 0; from < places.size(); from += MOST_AT_ONCE) {
			List<Integer> part = places.subList(from, Math.min(from + MOST_AT_ONCE, places.size()));
			Arguments arguments = Arguments.at(this.now);
			part.forEach((place) -> this.asked.get(place).write(arguments));
			Reply reply = this.link.run(Script.CHANGE, this.partitions.keys(partition), arguments);
			for (int place : part) {
				Changed answer = Changed.valueOf(reply.text());
				this.changed[place] = (answer != Changed.NOT_FOUND) ? answer : this.changed[place];
			}
		}
	}

	/**
	 * A change as the script expects it.
	 *
	 * @param name the name that the script knows the change by
	 * @param job the job, if it is one of a job
	 * @param queue the queue, if it is one of a queue
	 * @param value the value that is set
	 */
	private record Asked(String name, @Nullable String job, @Nullable String queue, String value) {

		boolean isOfJob() {
			return this.job != null;
		}

		void write(Arguments arguments) {
			arguments.add(this.name).add((this.job != null) ? this.job : Objects.requireNonNullElse(this.queue, ""));
			arguments.add(this.value);
		}

	}

	/**
	 * Writes each change down for the script.
	 */
	private static final class Asking implements Changes<Asked> {

		@Override
		public Asked cancel(Change.Cancel cancel) {
			return new Asked("cancel", cancel.id(), null, "");
		}

		@Override
		public Asked delete(Change.Delete delete) {
			return new Asked("delete", delete.id(), null, "");
		}

		@Override
		public Asked reschedule(Change.Reschedule reschedule) {
			return new Asked("reschedule", reschedule.id(), null, Millis.of(reschedule.dueAt()));
		}

		@Override
		public Asked retry(Change.Retry retry) {
			return new Asked("retry", retry.id(), null, "");
		}

		@Override
		public Asked pause(Change.Pause pause) {
			return new Asked("pause", null, pause.queue(), "");
		}

		@Override
		public Asked resume(Change.Resume resume) {
			return new Asked("resume", null, resume.queue(), "");
		}

		@Override
		public Asked limit(Change.Limit limit) {
			return new Asked("limit", null, limit.queue(), Integer.toString(limit.maxRunning()));
		}

		@Override
		public Asked forget(Change.Forget forget) {
			return new Asked("forget", null, forget.queue(), "");
		}

		@Override
		public Asked pauseSchedule(Change.PauseSchedule pause) {
			return new Asked("pause-schedule", null, null, pause.schedule());
		}

		@Override
		public Asked resumeSchedule(Change.ResumeSchedule resume) {
			return new Asked("resume-schedule", null, null, resume.schedule());
		}

		@Override
		public Asked purge(Change.Purge purge) {
			return new Asked("purge", null, null, "");
		}

	}

}
