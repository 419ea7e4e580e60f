package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.JobInspector;
import dev.jobs.store.QueueView;
import dev.jobs.store.ScheduleView;
import dev.jobs.store.Tally;
import dev.jobs.store.WorkerInfo;
import dev.jobs.store.WorkerView;

/**
 * Reads what the store holds, in slices that keep the server free for others. A small
 * queue is seen at one moment; in a large one jobs may move while it is read.
 */
final class RedisJobInspector implements JobInspector {

	private static final int SLICE = 1000;

	private static final int QUEUES_AT_ONCE = 50;

	private final Link link;

	private final Partitions partitions;

	RedisJobInspector(Link link, Partitions partitions) {
		this.link = link;
		this.partitions = partitions;
	}

	@Override
	public List<QueueView> queues(Instant now) {
		Set<String> served = new HashSet<>();
		for (WorkerView worker : workers(now)) {
			WorkerInfo info = worker.info();
			if (info != null) {
				info.pools().forEach((pool) -> served.addAll(pool.queues()));
			}
		}
		List<QueueView> views = new ArrayList<>();
		this.partitions.split(names(), (name) -> name).forEach((partition, names) -> {
			for (int from = 0; from < names.size(); from += QUEUES_AT_ONCE) {
				Arguments arguments = Arguments.at(now);
				names.subList(from, Math.min(from + QUEUES_AT_ONCE, names.size())).forEach(arguments::add);
				Reply reply = this.link.run(Script.QUEUES, this.partitions.keys(partition), arguments);
				while (reply.hasMore()) {
					views.add(queue(reply, served));
				}
			}
		});
		views.sort(Comparator.comparing(QueueView::name));
		return views;
	}

	private static QueueView queue(Reply reply, Set<String> served) {
		String name = reply.text();
		boolean paused = reply.flag();
		int limit = (int) reply.number();
		long ready = reply.number();
		long scheduled = reply.number();
		long retrying = reply.number();
		long running = reply.number();
		long dead = reply.number();
		long history = reply.number();
		String oldest = reply.text();
		return new QueueView(name, ready, scheduled + retrying, retrying, running, dead, history,
				oldest.isEmpty() ? null : Millis.instant(oldest), paused, limit, served.contains(name));
	}

	/**
	 * Return the names of all queues, sorted.
	 */
	List<String> names() {
		return this.partitions.all()
			.stream()
			.flatMap((partition) -> this.link.get((server) -> server.hkeys(this.partitions.key(partition, "queues")))
				.stream())
			.map((name) -> new String(name, StandardCharsets.UTF_8))
			.sorted()
			.toList();
	}

	/**
	 * A worker is known in every partition, and holds jobs in some.
	 */
	@Override
	public List<WorkerView> workers(Instant now) {
		Map<String, WorkerView> views = new TreeMap<>();
		for (Reply reply : askAll(Script.WORKERS, Arguments.at(now))) {
			while (reply.hasMore()) {
				WorkerView view = worker(reply);
				views.merge(view.id(), view, (one, other) -> new WorkerView(one.id(), one.info(), one.lastBeat(),
						one.leaseUntil(), one.running() + other.running()));
			}
		}
		return List.copyOf(views.values());
	}

	private static WorkerView worker(Reply reply) {
		String id = reply.text();
		Instant leaseUntil = Millis.instant(reply.text());
		FieldReader described = new FieldReader(reply.bytes());
		Instant lastBeat = Formats.readable(described::instant);
		return new WorkerView(id, Formats.info(described), (lastBeat != null) ? lastBeat : Instant.EPOCH, leaseUntil,
				reply.number());
	}

	/**
	 * A schedule is kept with its queue, so one that got another queue may be there
	 * twice.
	 */
	@Override
	public List<ScheduleView> schedules() {
		Map<String, ScheduleView> views = new TreeMap<>();
		for (int partition : this.partitions.all()) {
			this.link.get((server) -> server.hgetall(this.partitions.key(partition, "schedules")))
				.forEach((key, value) -> {
					ScheduleView view = Formats.readable(() -> schedule(key, new FieldReader(value)));
					if (view != null) {
						views.merge(view.name(), view,
								(one, other) -> one.latest().isAfter(other.latest()) ? one : other);
					}
				});
		}
		return List.copyOf(views.values());
	}

	private static ScheduleView schedule(byte[] name, FieldReader fields) {
		return new ScheduleView(new String(name, StandardCharsets.UTF_8), fields.text(), fields.text(),
				fields.instant());
	}

	@Override
	public Optional<Job> job(String id, Instant now) {
		for (int partition : this.partitions.startingAt(this.partitions.guess(id))) {
			Reply reply = this.link.run(Script.JOB, this.partitions.keys(partition), Arguments.at(now).add(id));
			if (reply.hasMore()) {
				return Optional.of(Seen.read(reply, now).job());
			}
		}
		return Optional.empty();
	}

	@Override
	public Page page(JobFilter filter, Range range, Instant now) {
		Comparator<Seen> order = range.newestFirst() ? Seen.ORDER.reversed() : Seen.ORDER;
		long wanted = range.offset() + range.size();
		PriorityQueue<Seen> first = new PriorityQueue<>(order.reversed());
		Set<String> seen = new HashSet<>();
		for (String name : (filter.name() != null) ? List.of(filter.name()) : names()) {
			read(name, filter, now, (job) -> {
				if (seen.add(job.job().id())) {
					first.add(job);
				}
				if (first.size() > wanted) {
					first.poll();
				}
			});
		}
		List<Job> jobs = first.stream().sorted(order).skip(range.offset()).map(Seen::job).toList();
		return new Page(jobs, seen.size());
	}

	@Override
	public List<Tally> history(Set<String> queues, Period period) {
		Arguments arguments = Arguments.at(period.to())
			.add(period.span().length().toMinutes())
			.add(period.from())
			.add(period.to());
		queues.forEach(arguments::add);
		History history = new History(period);
		askAll(Script.HISTORY, arguments).forEach(history::read);
		return history.tallies();
	}

	/**
	 * Run a script in all partitions at once.
	 */
	private List<Reply> askAll(Script script, Arguments arguments) {
		List<Link.Call> calls = this.partitions.all()
			.stream()
			.map((partition) -> this.link.send(script, this.partitions.keys(partition), arguments))
			.toList();
		this.link.await(calls);
		return calls.stream().map(Link.Call::reply).toList();
	}

	private void read(String queue, JobFilter filter, Instant now, Consumer<Seen> action) {
		Set<String> parts = parts(filter.states());
		Set<String> skipped = new HashSet<>();
		boolean more = true;
		for (int offset = 0; more; offset += SLICE) {
			Arguments arguments = Arguments.at(now).add(queue).add(offset).add(SLICE);
			parts.forEach(arguments::add);
			Reply reply = this.link.run(Script.PAGE, this.partitions.keys(this.partitions.of(queue)), arguments);
			more = reply.flag();
			Reply rows = reply.list();
			while (rows.hasMore()) {
				Seen job = Seen.read(rows, now);
				boolean passed = job.toBeSkipped() && skipped.add(job.job().id());
				if (!passed && matches(job.job(), filter)) {
					action.accept(job);
				}
			}
		}
	}

	private static Set<String> parts(Set<JobState> states) {
		Set<String> parts = new LinkedHashSet<>();
		for (JobState state : states.isEmpty() ? Set.of(JobState.values()) : states) {
			parts.addAll(switch (state) {
				case READY -> List.of("ready", "scheduled", "retry");
				case SCHEDULED -> List.of("scheduled", "retry");
				case RUNNING -> List.of("running");
				case DEAD -> List.of("dead");
				case SUCCEEDED, CANCELLED -> List.of("done");
			});
		}
		return parts;
	}

	private static boolean matches(Job job, JobFilter filter) {
		boolean retrying = job.attempt() > 1;
		return (filter.states().isEmpty() || filter.states().contains(job.state()))
				&& (filter.retrying() == null || filter.retrying() == retrying)
				&& (filter.text() == null || contains(job, filter.text().toLowerCase(Locale.ROOT)));
	}

	private static boolean contains(Job job, String text) {
		Trail.End end = job.trail().end();
		return Stream
			.of(Stream.of(job.id()), job.trail().attempts().stream().map(Trail.Attempt::error),
					Stream.ofNullable(end).map(Trail.End::message),
					Stream.of(job.payload()).map((payload) -> new String(payload, StandardCharsets.UTF_8)))
			.flatMap((texts) -> texts)
			.anyMatch((candidate) -> candidate.toLowerCase(Locale.ROOT).contains(text));
	}

	/**
	 * A job and when it entered its state or, if it waits, is due.
	 *
	 * @param job the job
	 * @param since that instant
	 * @param toBeSkipped whether the first entry of it in the list is to be skipped
	 */
	private record Seen(Job job, Instant since, boolean toBeSkipped) {

		Seen(Job job, Instant since) {
			this(job, since, false);
		}

		static final Comparator<Seen> ORDER = Comparator.comparing(Seen::since)
			.thenComparing((seen) -> seen.job().id());

		static Seen read(Reply row, Instant now) {
			String id = row.text();
			String queue = row.text();
			String part = row.text();
			String score = row.text();
			StoredJob stored = Formats.job(id, queue, row.bytes(), row.bytes());
			byte[] holder = row.bytes();
			byte[] progress = row.bytes();
			boolean cancelRequested = row.flag();
			Instant dueAt = stored.job().dueAt();
			return switch (part) {
				case "running" -> {
					Job.Run run = run(holder, Long.parseLong(score), progress, cancelRequested);
					yield new Seen(stored.in(JobState.RUNNING, run), run.startedAt());
				}
				case "dead" -> new Seen(stored.in(JobState.DEAD, null), Millis.instant(score));
				case "done" -> new Seen(stored.in(stored.cancelled() ? JobState.CANCELLED : JobState.SUCCEEDED, null),
						Millis.instant(score));
				case "ready", "skipped" -> new Seen(stored.in(JobState.READY, null), dueAt, part.equals("skipped"));
				default -> new Seen(stored.in(dueAt.isAfter(now) ? JobState.SCHEDULED : JobState.READY, null), dueAt);
			};
		}

		private static Job.Run run(byte[] holder, long token, byte[] progress, boolean cancelRequested) {
			FieldReader fields = new FieldReader(holder);
			String worker = Formats.readable(fields::text);
			Instant startedAt = Formats.readable(fields::instant);
			return new Job.Run((worker != null) ? worker : "", token, (startedAt != null) ? startedAt : Instant.EPOCH,
					Formats.progress(progress), cancelRequested);
		}

	}

}
