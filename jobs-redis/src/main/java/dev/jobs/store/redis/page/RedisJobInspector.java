package dev.jobs.store.redis.page;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobStoreException;
import dev.jobs.Note;
import dev.jobs.PageRequest;
import dev.jobs.Unique.Scope;
import dev.jobs.store.redis.format.FieldReader;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.layout.Layout;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.FaultLog;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.redis.wire.Script;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.ReadDeadline;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.support.UniqueKeyDigest;
import dev.jobs.store.view.DueSchedules;
import dev.jobs.store.view.DueSchedules.Place;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.GateView;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.LaneSettingsView.Rule;
import dev.jobs.store.view.LaneView;
import dev.jobs.store.view.OperatorSetting;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SavedView;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.SettingsView;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.StoreView;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerJson;
import dev.jobs.store.view.WorkerView;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Reads the contents of the store, in batches that keep the server free for others. Each
 * call of a script sees one moment of its partition.
 *
 * @param link the link that is only for reading
 * @param layout where the keys are
 * @param view describes the store
 * @param faultLog records faults
 * @param patience how long reading a list may take
 */
public record RedisJobInspector(Link link, Layout layout, Supplier<StoreView> view, FaultLog faultLog,
		Duration patience) implements JobInspector {

	private static final int QUEUES_AT_ONCE = 200;

	private static final int LANES_IN_CALL = 250;

	@Override
	public List<QueueView> queues(Instant now) {
		List<QueueView> views = new ArrayList<>();
		boolean more = true;
		for (int from = 0; more; from += QUEUES_AT_ONCE) {
			more = false;
			for (Reply reply : askAll(Script.QUEUES, Arguments.at(now).add(from).add(QUEUES_AT_ONCE))) {
				more = reply.flag() || more;
				while (reply.hasMore()) {
					views.add(queue(reply));
				}
			}
		}
		views.sort(Comparator.comparing(QueueView::name));
		return views;
	}

	@Override
	public Optional<QueueView> queue(String name, Instant now) {
		Reply reply = this.link.run(Script.QUEUES, partitions().of(name), Arguments.at(now).add(0).add(1).add(name));
		reply.flag();
		return reply.hasMore() ? Optional.of(queue(reply)) : Optional.empty();
	}

	@Override
	public List<LaneView> lanes(String queue, String after, int limit, Instant now) {
		List<LaneView> lanes = new ArrayList<>();
		RunningInLanes running = null;
		int before;
		do {
			before = lanes.size();
			String from = lanes.isEmpty() ? after : lanes.get(before - 1).name();
			Reply reply = lanes(queue, from, Math.min(limit - before, LANES_IN_CALL), running == null, now);
			running = RunningInLanes.read(reply, running);
			while (reply.hasMore()) {
				lanes.add(lane(reply, running, now));
			}
		}
		while (lanes.size() == before + LANES_IN_CALL && lanes.size() < limit);
		return lanes;
	}

	@Override
	public LaneView lane(String queue, String lane, Instant now) {
		Reply reply = lanes(queue, lane, 0, true, now);
		RunningInLanes running = RunningInLanes.read(reply, null);
		return reply.hasMore() ? lane(reply, running, now)
				: new LaneView(lane, JobCount.exactly(0), JobCount.exactly(0), null);
	}

	private Reply lanes(String queue, String name, int limit, boolean running, Instant now) {
		return this.link.run(Script.LANELIST, partitions().of(queue),
				Arguments.at(now).add(queue).add(name).add(limit).add(running ? 1 : 0));
	}

	private static LaneView lane(Reply reply, RunningInLanes running, Instant now) {
		String name = reply.text();
		long waiting = reply.number();
		LaneView view = new LaneView(name, JobCount.exactly(waiting), running.of(name, reply.number()),
				reply.optionalInstant());
		String keeper = reply.text();
		return view.blockedBy(keeper.isEmpty() ? null : keeper, gate(reply.bytes(), now));
	}

	@Override
	public SortedMap<String, LaneSettingsView> laneSettings(String queue) {
		SortedMap<String, LaneSettingsView> settings = new TreeMap<>();
		this.link.get(partitions().of(queue), "q:" + queue + ":lanesettings", (commands, key) -> commands.hgetall(key))
			.forEach((lane, value) -> {
				LaneSettingsView set = Formats
					.readable(() -> laneSettings(new FieldReader(value, Formats.LANE_SETTINGS)));
				if (set != null) {
					settings.put(new String(lane, StandardCharsets.UTF_8), set);
				}
			});
		return settings;
	}

	private static LaneSettingsView laneSettings(FieldReader fields) {
		Value<Integer> paused = value("1", fields.text(), fields.text());
		return LaneSettingsView.NONE.with(Rule.PAUSED, paused)
			.with(Rule.LIMIT, value(fields.text(), fields.text(), fields.text()));
	}

	private static @Nullable Value<Integer> value(String value, String at, String by) {
		return at.isEmpty() ? null
				: new Value<>(Integer.valueOf(value), FieldReader.instant(at), by.isEmpty() ? null : by);
	}

	private Partitions partitions() {
		return this.layout.partitions();
	}

	@Override
	public StoreView store() {
		return this.view.get();
	}

	/**
	 * Check the keys, and whether the server takes new jobs.
	 */
	@Override
	public List<StoreFault> faults() {
		List<Reply> replies = askAll(Script.SOUND, Arguments.at(Instant.EPOCH).add(0));
		List<StoreFault> faults = new ArrayList<>();
		for (Partition partition : partitions().all()) {
			faults.addAll(this.faultLog.read(partition, replies.get(partition.number())));
		}
		return faults.stream().distinct().toList();
	}

	private static QueueView queue(Reply reply) {
		String name = reply.text();
		long ready = reply.number();
		long scheduled = reply.number();
		long retrying = reply.number();
		long parked = reply.number();
		long running = reply.number();
		long dead = reply.number();
		long history = reply.number();
		Instant oldest = reply.optionalInstant();
		boolean served = reply.flag();
		return QueueView.of(name, served)
			.withJobs(ready, scheduled + retrying, retrying, running, dead, history)
			.withParked(parked)
			.withOldestReady(oldest)
			.with(settings(reply));
	}

	private static SettingsView settings(Reply reply) {
		long version = reply.number();
		Instant pausedAt = reply.optionalInstant();
		String pausedBy = reply.text();
		int limit = (int) reply.number();
		Instant limitedAt = reply.optionalInstant();
		return SettingsView.of(version, pausedAt, pausedBy, limit, (limitedAt != null) ? limitedAt : Instant.EPOCH,
				reply.text());
	}

	/**
	 * Return the names of all queues, sorted.
	 */
	public List<String> names() {
		return partitions().all()
			.stream()
			.flatMap((partition) -> this.link.get(partition, "queues", RedisClusterAsyncCommands::hkeys).stream())
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
		Instant leaseUntil = reply.instant();
		byte[] stored = reply.bytes();
		FieldReader described = Formats.readable(() -> new FieldReader(stored, Formats.WORKER));
		Instant lastBeat = (described != null) ? Formats.readable(described::instant) : null;
		WorkerInfo info = (described != null && Formats.readable(described::number) != null)
				? WorkerJson.info(new String(described.rest(), StandardCharsets.UTF_8)) : null;
		return new WorkerView(id, info, (lastBeat != null) ? lastBeat : Instant.EPOCH, leaseUntil, reply.number());
	}

	@Override
	public List<ScheduleView> schedules() {
		return schedules((partition) -> this.link.get(partition, "schedules", RedisClusterAsyncCommands::hgetall)
			.entrySet()
			.stream());
	}

	@Override
	public Optional<ScheduleView> schedule(String name) {
		byte[] schedule = name.getBytes(StandardCharsets.UTF_8);
		byte[] pause = (Formats.PAUSE_OF + name).getBytes(StandardCharsets.UTF_8);
		return schedules((partition) -> this.link
			.get(partition, "schedules", (commands, key) -> commands.hmget(key, schedule, pause))
			.stream()
			.filter(KeyValue::hasValue)
			.map((field) -> Map.entry(field.getKey(), field.getValue()))).stream()
			.findFirst()
			.map((view) -> (view.put() != null) ? withSpec(view, view.put(), schedule) : view);
	}

	private ScheduleView withSpec(ScheduleView view, ScheduleView.Put put, byte[] name) {
		byte[] spec = this.link.get(partitions().of(view.queue()), "specs",
				(commands, key) -> commands.hget(key, name));
		return view.with(new ScheduleView.Put(put.version(),
				(spec != null) ? new String(spec, StandardCharsets.UTF_8) : "", put.next(), put.replaces()));
	}

	/**
	 * Partitions that fail are left out while others answer. All are asked at once, so
	 * one that is silent delays the others for a short time only.
	 */
	@Override
	public DueSchedules dueSchedules(Instant now, DueSchedules.@Nullable Place after, int limit) {
		Arguments arguments = Arguments.at(now).add(limit).add(DueSchedules.MOST_CHARACTERS);
		arguments.add((after != null) ? after.at() : null).add((after != null) ? after.name() : "");
		List<DueSchedules> parts = new ArrayList<>();
		JobStoreException fault = null;
		for (Link.Call call : sendToAll(Script.DUE, arguments)) {
			try {
				parts.add(due(call.reply()));
			}
			catch (JobStoreException ex) {
				fault = ex;
			}
		}
		if (fault != null && parts.isEmpty()) {
			throw fault;
		}
		return merged(parts, limit);
	}

	/**
	 * Merge what partitions have. Nothing is taken that is behind one that a partition
	 * has not returned yet.
	 */
	private static DueSchedules merged(List<DueSchedules> parts, int limit) {
		Place last = parts.stream()
			.filter(DueSchedules::more)
			.map((part) -> Place.of(part.due().get(part.due().size() - 1)))
			.min(Comparator.naturalOrder())
			.orElse(null);
		List<ScheduleView> all = parts.stream()
			.flatMap((part) -> part.due().stream())
			.sorted(Comparator.comparing(Place::of))
			.toList();
		List<ScheduleView> due = all.stream()
			.filter((view) -> last == null || Place.of(view).compareTo(last) <= 0)
			.limit(limit)
			.toList();
		Instant next = parts.stream()
			.map(DueSchedules::next)
			.filter(Objects::nonNull)
			.min(Comparator.naturalOrder())
			.orElse(null);
		return new DueSchedules(due, last != null || due.size() < all.size(), next);
	}

	private static DueSchedules due(Reply reply) {
		boolean more = reply.flag();
		Instant next = reply.optionalInstant();
		List<ScheduleView> due = new ArrayList<>();
		while (reply.hasMore()) {
			String name = reply.text();
			boolean paused = reply.flag();
			byte[] schedule = reply.bytes();
			String spec = reply.text();
			Instant at = reply.instant();
			ScheduleView read = Formats.readable(() -> Formats.schedule(name, schedule));
			ScheduleView.Put put = (read != null) ? read.put() : null;
			ScheduleView view = (read != null && put != null)
					? read.with(new ScheduleView.Put(put.version(), spec, at, put.replaces())) : new ScheduleView(name,
							"", "", Instant.EPOCH, false, List.of(), new ScheduleView.Put("", spec, at, null));
			due.add(paused ? view.asPaused() : view);
		}
		return new DueSchedules(due, more, next);
	}

	/**
	 * A schedule is kept with its queue, so one whose queue has changed may exist twice.
	 */
	private List<ScheduleView> schedules(Function<Partition, Stream<Map.Entry<byte[], byte[]>>> fields) {
		Map<String, ScheduleView> views = new TreeMap<>();
		Set<String> paused = new HashSet<>();
		for (Partition partition : partitions().all()) {
			fields.apply(partition).forEach((field) -> {
				String name = new String(field.getKey(), StandardCharsets.UTF_8);
				if (name.startsWith(Formats.PAUSE_OF)) {
					paused.add(name.substring(Formats.PAUSE_OF.length()));
					return;
				}
				ScheduleView view = Formats.readable(() -> Formats.schedule(name, field.getValue()));
				if (view != null) {
					views.merge(view.name(), view, BinaryOperator.maxBy(Formats.LATER));
				}
			});
		}
		return views.values().stream().map((view) -> paused.contains(view.name()) ? view.asPaused() : view).toList();
	}

	@Override
	public List<Note> notes() {
		List<Note> notes = this.link
			.get(partitions().all().get(0), "notes", (commands, key) -> commands.zrangeWithScores(key, 0, -1))
			.stream()
			.map((note) -> Formats.readable(() -> note(note)))
			.filter(Objects::nonNull)
			.collect(Collectors.toCollection(ArrayList::new));
		Collections.reverse(notes);
		return notes;
	}

	@Override
	public GateView gate(String queue, String lane, Instant now) {
		byte[] gate = this.link.get(partitions().of(queue), "q:" + queue + ":gates",
				(commands, key) -> commands.hget(key, lane.getBytes(StandardCharsets.UTF_8)));
		return (gate != null) ? gate(gate, now) : GateView.OPEN;
	}

	private static GateView gate(byte[] stored, Instant now) {
		GateView view = Formats.readable(() -> {
			FieldReader fields = new FieldReader(stored, Formats.GATE);
			return GateView.of(Long.parseLong(fields.text()), Long.parseLong(fields.text()), now);
		});
		return (view != null) ? view : GateView.OPEN;
	}

	@Override
	public List<SavedView> saved(String queue, String job) {
		return this.link.get(partitions().of(queue), "saved:" + job, (commands, key) -> commands.hgetall(key))
			.entrySet()
			.stream()
			.map((saved) -> saved(new String(saved.getKey(), StandardCharsets.UTF_8), saved.getValue()))
			.sorted(Comparator.comparing(SavedView::savedAt).thenComparing(SavedView::name))
			.toList();
	}

	/** A stored value is its version, the time, a colon and the value itself. */
	private static SavedView saved(String name, byte[] stored) {
		int at = 1;
		while (stored[at] != ':') {
			at++;
		}
		String time = new String(stored, 1, at - 1, StandardCharsets.US_ASCII);
		return new SavedView(name, Arrays.copyOfRange(stored, at + 1, stored.length),
				Instant.ofEpochMilli(Long.parseLong(time)));
	}

	@Override
	public Map<String, EndView> ends(Collection<String> jobs, Instant now) {
		return new Ends(this.link, ReadDeadline.after(this.patience), now).find(jobs, partitions());
	}

	@Override
	public List<OperatorSetting> operatorSettings() {
		return this.link.get(partitions().all().get(0), "settings", (commands, key) -> commands.hgetall(key))
			.entrySet()
			.stream()
			.map((entry) -> setting(new String(entry.getKey(), StandardCharsets.UTF_8), entry.getValue()))
			.filter(Objects::nonNull)
			.sorted(OperatorSetting.ORDER)
			.toList();
	}

	private static @Nullable OperatorSetting setting(String id, byte[] value) {
		int colon = id.indexOf(':');
		return (colon < 0) ? null : Formats.readable(() -> {
			FieldReader fields = new FieldReader(value, Formats.SETTING);
			Instant at = fields.instant();
			String by = fields.text();
			return new OperatorSetting(id.substring(0, colon), id.substring(colon + 1), fields.text(), at,
					by.isEmpty() ? null : by);
		});
	}

	private static Note note(ScoredValue<byte[]> note) {
		FieldReader fields = new FieldReader(note.getValue(), Formats.NOTE);
		fields.skip();
		return Note.of(Instant.ofEpochMilli((long) note.getScore()), fields.text());
	}

	@Override
	public Optional<Job> job(String id, Instant now) {
		Partitions partitions = partitions();
		for (Partition partition : partitions.startingAt(partitions.likelyOf(id))) {
			Reply reply = this.link.run(Script.JOB, partition, Arguments.at(now).add(Formats.NOTHING).add(1).add(id));
			reply.number();
			reply.number();
			if (reply.hasMore()) {
				return Optional.of(Rows.read(reply, now).job());
			}
		}
		return Optional.empty();
	}

	@Override
	public JobPage page(JobFilter filter, PageRequest request, Instant now) {
		return (filter.getUniqueKey() != null) ? ListedJob.page(owners(filter.getUniqueKey(), filter.getName(), now),
				filter, containing(filter, now), request) : listing(filter, now).page(request);
	}

	@Override
	public JobCount count(JobFilter filter, int bound, Instant now) {
		if (filter.getUniqueKey() != null) {
			return ListedJob.count(owners(filter.getUniqueKey(), filter.getName(), now), filter,
					containing(filter, now), bound);
		}
		return listing(filter, now).count(bound);
	}

	private Listing listing(JobFilter filter, Instant now) {
		return new Listing(this.link, partitions(), filter, now, ReadDeadline.after(this.patience));
	}

	private Predicate<Job> containing(JobFilter filter, Instant now) {
		return ListedJob.containing(filter, (id) -> job(id, now));
	}

	/**
	 * Return the jobs that own a key: a key within a queue in its partition, a key across
	 * queues in any.
	 */
	private List<ListedJob> owners(String key, @Nullable String name, Instant now) {
		Map<Integer, List<String>> queues = partitions().group((name != null) ? List.of(name) : names(),
				(queue) -> queue);
		List<Link.Call> calls = new ArrayList<>();
		for (Partition partition : partitions().all()) {
			Arguments arguments = Arguments.at(now).add("").add(UniqueKeyDigest.of(Scope.NAMESPACE, "", key));
			queues.getOrDefault(partition.number(), List.of())
				.forEach((queue) -> arguments.add(queue).add(UniqueKeyDigest.of(Scope.HANDLER, queue, key)));
			calls.add(this.link.send(Script.OWNERS, partition, arguments));
		}
		this.link.await(calls);
		List<ListedJob> owners = new ArrayList<>();
		for (Link.Call call : calls) {
			Reply rows = call.reply();
			while (rows.hasMore()) {
				owners.add(Rows.read(rows, now));
			}
		}
		return owners;
	}

	@Override
	public List<Tally> statistics(Set<String> queues, Period period) {
		Arguments arguments = Arguments.at(period.to())
			.add(period.span().length().toMinutes())
			.add(period.from())
			.add(period.to());
		queues.forEach(arguments::add);
		Statistics statistics = new Statistics(period);
		askAll(Script.HISTORY, arguments).forEach(statistics::read);
		return statistics.tallies();
	}

	/**
	 * Run a script in all partitions at once.
	 */
	private List<Reply> askAll(Script script, Arguments arguments) {
		return sendToAll(script, arguments).stream().map(Link.Call::reply).toList();
	}

	private List<Link.Call> sendToAll(Script script, Arguments arguments) {
		List<Link.Call> calls = partitions().all()
			.stream()
			.map((partition) -> this.link.send(script, partition, arguments))
			.toList();
		this.link.await(calls);
		return calls;
	}

	/**
	 * The running jobs of lanes, as far as they were looked at.
	 *
	 * @param counts how many of each lane
	 * @param more whether more jobs run
	 */
	private record RunningInLanes(Map<String, Long> counts, boolean more) {

		/**
		 * Read them from a reply, unless they are known already.
		 */
		static RunningInLanes read(Reply reply, @Nullable RunningInLanes known) {
			boolean more = reply.flag();
			Map<String, Long> counts = new HashMap<>();
			Reply lanes = reply.list();
			while (lanes.hasMore()) {
				counts.put(lanes.text(), lanes.number());
			}
			return (known != null) ? known : new RunningInLanes(counts, more);
		}

		/**
		 * Count the jobs of a lane.
		 * @param limited how many count for its limit
		 */
		JobCount of(String lane, long limited) {
			long seen = this.counts.getOrDefault(lane, 0L);
			return (this.more && limited <= seen) ? JobCount.atLeast(seen) : JobCount.exactly(Math.max(seen, limited));
		}

	}

}
