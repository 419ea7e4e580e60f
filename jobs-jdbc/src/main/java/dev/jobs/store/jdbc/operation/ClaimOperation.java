package dev.jobs.store.jdbc.operation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.operation.ReadyJobs.Wanted;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.jdbc.worker.Gates;
import org.jspecify.annotations.Nullable;

/**
 * One claim: it finds out how much each queue may give, takes the shares and then the
 * rest up to the limit.
 */
public final class ClaimOperation {

	/** No job runs under a token lower than the first that a worker holds. */
	private static final String RUNNING = """
			select q.name, (select count(*) from {job} j where j.queue = q.name and j.state = {running}
				and j.token >= q.first)
			from (select d.queue as name, min(d.token) as first from %s d where d.queue in (??) group by d.queue) q""";

	/**
	 * How many more due jobs become ready, so that no lane waits long for those of
	 * others.
	 */
	private static final int FOR_LANES = 300;

	/**
	 * Of so many jobs, those that are more urgent than others are found at once. If more
	 * are wanted, it is worth another statement to find out first whether lanes give one
	 * job each, of which few have a turn.
	 */
	private static final int FEW = 64;

	private final UnitOfWork work;

	private final Statements statements;

	private final ReadyJobs ready;

	private final ReadyLine waiting;

	private final DeliveryRows deliveries;

	private final ClaimRequest request;

	private final long now;

	private final List<Open> queues = new ArrayList<>();

	private final List<StoredJob> held = new ArrayList<>();

	public ClaimOperation(UnitOfWork work, ReadyJobs ready, DeliveryRows deliveries, ClaimRequest request) {
		this.work = work;
		this.statements = work.statements();
		this.ready = ready;
		this.deliveries = deliveries;
		this.request = request;
		this.now = EpochMillis.of(request.now());
		this.waiting = new ReadyLine(work, this.now);
	}

	public ClaimReply run() {
		Map<String, QueueSnapshot> seen = this.ready.look(this.statements, this.request);
		return (seen != null) ? run(seen) : nothing(this.request, Map.of());
	}

	/**
	 * Claim from queues that have been read already.
	 */
	public ClaimReply run(Map<String, QueueSnapshot> seen) {
		open(seen);
		this.queues.forEach(this::promote);
		give((queue) -> Math.min(queue.quota.share(), queue.most));
		give((queue) -> queue.isSpent ? 0 : queue.most);
		signalRoom();
		return new ClaimReply(claims(this.request, this.held), left());
	}

	/**
	 * Return the reply for a worker with the jobs it holds.
	 */
	public static List<Claim> claims(ClaimRequest request, List<StoredJob> held) {
		return held.stream().map((job) -> job.claim(request.worker(), job.token(), request.now())).toList();
	}

	/**
	 * Return an empty reply; a worker that is not alive learns no due times.
	 */
	public static ClaimReply nothing(ClaimRequest request, Map<String, QueueSnapshot> seen) {
		return new ClaimReply(List.of(), request.quotas().stream().map((quota) -> {
			QueueSnapshot queue = seen.get(quota.queue());
			return new Left(quota.queue(), false, (queue != null) ? instant(queue.firstDue()) : null, quota.after());
		}).toList());
	}

	/**
	 * Return when the next job of a queue is due.
	 */
	public static @Nullable Instant instant(@Nullable Long due) {
		return (due != null) ? EpochMillis.instant(due) : null;
	}

	/**
	 * Find out how much each queue may give.
	 */
	private void open(Map<String, QueueSnapshot> seen) {
		Map<String, Integer> limits = new HashMap<>();
		this.request.quotas().forEach((quota) -> {
			int limit = QueueSnapshot.of(seen, quota.queue()).limit(quota);
			if (limit > 0) {
				limits.put(quota.queue(), limit);
			}
		});
		Set<String> locked = new HashSet<>(limits.keySet());
		this.request.quotas().forEach((quota) -> {
			QueueSnapshot known = QueueSnapshot.of(seen, quota.queue());
			if ((quota.maxInLane() > 0 || known.laneSettings()) && (known.lanes() || known.isDue(this.now))) {
				locked.add(quota.queue());
			}
		});
		lock(locked, this.request.quotas().stream().filter((quota) -> quota.rates() != null).map(Quota::queue));
		Map<String, Long> running = running(limits.keySet());
		for (Quota quota : this.request.quotas()) {
			QueueSnapshot known = QueueSnapshot.of(seen, quota.queue());
			Integer limit = limits.get(quota.queue());
			long room = (limit != null) ? limit - running.getOrDefault(quota.queue(), 0L) : Integer.MAX_VALUE;
			Gates gates = known.isGated(quota, this.now) ? new Gates(this.statements, quota, this.now) : null;
			this.queues.add(
					new Open(quota, known, gates, (int) Math.max(known.paused() ? 0 : room, 0), known.isDue(this.now)));
		}
	}

	/**
	 * Lock queues with a limit, for all of their jobs or for each lane, or with a rate,
	 * so that no other claim counts at the same time.
	 */
	private void lock(Set<String> limited, Stream<String> rated) {
		Set<String> all = Stream.concat(limited.stream(), rated).collect(Collectors.toSet());
		if (!all.isEmpty()) {
			List<String> unknown = new ArrayList<>();
			this.statements.query("select name, limit_hit from {queue} where name in (??) order by name"
					+ this.work.dialect().locking(), (row, n) -> {
						String name = row.getString(1);
						return row.getInt(2) == 0 && limited.contains(name) && unknown.add(name);
					}, all);
			if (!unknown.isEmpty()) {
				this.statements.update("update {queue} set limit_hit = ? where name in (??)", QueueSnapshot.LIMITED,
						unknown);
			}
		}
	}

	/**
	 * Count the running jobs of queues with a limit.
	 */
	private Map<String, Long> running(Set<String> limited) {
		Map<String, Long> running = new HashMap<>();
		if (!limited.isEmpty()) {
			this.statements.query(RUNNING.formatted(this.deliveries.source()),
					(row, n) -> running.put(row.getString(1), row.getLong(2)), this.deliveries.with(limited));
		}
		return running;
	}

	/**
	 * Make due jobs of a queue ready, as many as it may give, and more if it has lanes.
	 */
	private void promote(Open queue) {
		int most = Math.min(Math.min(queue.quota.most(), this.request.limit()), Math.min(queue.room, queue.permits()));
		queue.most = Math.max(most, 0);
		boolean lanes = queue.known.lanes();
		if (queue.due && queue.most > 0) {
			Set<String> promoted = new HashSet<>(this.waiting.promote(queue.quota.queue(), queue.most));
			lanes |= !promoted.isEmpty();
			if (lanes) {
				promoted.addAll(this.waiting.promote(queue.quota.queue(), FOR_LANES));
			}
			queue.unnamed |= promoted.contains("");
		}
		queue.lanes = lanes ? LaneTurns.of(this.statements, this.deliveries, queue.quota, queue.known.laneSettings(),
				queue.gates, this.work.passedOver()) : null;
	}

	/**
	 * Let the queues give jobs, each those that are wanted of it: all at once unless one
	 * has lanes, which take turns.
	 */
	private void give(ToIntFunction<Open> wanted) {
		if (this.queues.stream().allMatch((queue) -> queue.lanes == null)) {
			give(this.queues.stream().map((queue) -> queue.wanting(wanted.applyAsInt(queue))).toList());
			return;
		}
		for (Open queue : this.queues) {
			LaneTurns lanes = queue.lanes;
			if (lanes == null) {
				give(List.of(queue.wanting(wanted.applyAsInt(queue))));
			}
			else {
				giveInTurn(queue, lanes, wanted.applyAsInt(queue));
			}
		}
	}

	private void giveInTurn(Open queue, LaneTurns lanes, int wanted) {
		int left = Math.min(wanted, this.request.limit() - this.held.size());
		while (left > 0) {
			LaneTurns.Shares shares = new LaneTurns.Shares(queue.quota, lanes, queue.given, left);
			List<String> open = lanes.open(left, left <= FEW && shares.mayHaveTurns(), () -> hasUnnamed(queue));
			if (left > FEW && shares.haveTurns(open)) {
				open = lanes.open(left, true, () -> hasUnnamed(queue));
			}
			List<StoredJob> found = List.of();
			if (!open.isEmpty()) {
				found = shares.hold(open, queue.unnamed, (asked) -> this.ready.hold(this.work, asked,
						asked.stream().mapToInt(Wanted::count).sum(), this.request.worker(), this.now));
				queue.unnamed &= !shares.areUnnamedSpent();
				lanes.gave(shares.each(), open.size() < left && shares.each().size() == open.size(), found);
			}
			if (found.isEmpty()) {
				queue.isSpent = true;
				return;
			}
			this.held.addAll(found);
			queue.gave(found.size());
			left -= found.size();
		}
	}

	private boolean hasUnnamed(Open queue) {
		String name = queue.quota.queue();
		return queue.unnamed
				|| queue.mayHaveUnnamed() && this.ready.withReady(this.work, Map.of(name, 0L)).contains(name);
	}

	private void give(List<Wanted> wanted) {
		int limit = this.request.limit() - this.held.size();
		List<Wanted> asked = wanted.stream().filter((each) -> each.count() > 0).toList();
		if (limit <= 0 || asked.isEmpty()) {
			return;
		}
		List<StoredJob> found = this.ready.hold(this.work, asked, limit, this.request.worker(), this.now);
		this.held.addAll(found);
		Map<String, Integer> given = new HashMap<>();
		found.forEach((job) -> given.merge(job.queue(), 1, Integer::sum));
		Map<String, Integer> counts = new HashMap<>();
		asked.forEach((each) -> counts.put(each.queue(), each.count()));
		for (Open queue : this.queues) {
			int got = given.getOrDefault(queue.quota.queue(), 0);
			queue.isSpent |= got < counts.getOrDefault(queue.quota.queue(), 0) && found.size() < limit;
			queue.gave(got);
		}
	}

	private void signalRoom() {
		this.held.stream().map(StoredJob::queue).distinct().forEach((name) -> {
			if (this.queues.stream().anyMatch((queue) -> queue.quota.queue().equals(name) && queue.known.refuses())) {
				this.work.signalRoom(name);
			}
		});
	}

	/**
	 * Return which queues have ready jobs without a lane.
	 */
	private Set<String> waiting() {
		Map<String, Long> places = new HashMap<>();
		this.queues.stream().filter(Open::mayHaveUnnamed).forEach((queue) -> places.put(queue.quota.queue(), 0L));
		this.held.forEach((job) -> places.computeIfPresent(job.queue(), (name, place) -> Math.max(place, job.place())));
		return places.isEmpty() ? new HashSet<>() : this.ready.withReady(this.work, places);
	}

	private List<Left> left() {
		Set<String> waiting = waiting();
		Map<String, Long> firstDue = new HashMap<>();
		List<String> passed = this.queues.stream()
			.filter((queue) -> queue.due)
			.map((queue) -> queue.quota.queue())
			.toList();
		if (!passed.isEmpty()) {
			firstDue.putAll(QueueSnapshot.firstDue(this.statements, this.work.dialect(), passed, Long.MIN_VALUE,
					this.work.passedOver()));
			Map<String, Long> next = QueueSnapshot.firstDue(this.statements, this.work.dialect(), passed, this.now + 1,
					Set.of());
			this.queues.stream().filter((queue) -> queue.due).forEach((queue) -> {
				Long first = firstDue.get(queue.quota.queue());
				if (first != null && first <= this.now) {
					waiting.add(queue.quota.queue());
				}
				queue.nextDue = next.get(queue.quota.queue());
			});
		}
		return this.queues.stream().map((queue) -> left(queue, waiting.contains(queue.quota.queue()))).toList();
	}

	private Left left(Open queue, boolean waiting) {
		String name = queue.quota.queue();
		LaneTurns lanes = queue.lanes;
		boolean unnamed = lanes != null && queue.unnamed && lanes.hasUnnamed();
		boolean permitted = queue.permits() > 0;
		boolean more = queue.room > 0 && permitted
				&& (waiting || unnamed || (lanes != null && !lanes.open(1, false, () -> false).isEmpty()));
		boolean limited = !more && !queue.known.paused() && (permitted || queue.room <= 0) && (waiting || unnamed
				|| (lanes != null && (lanes.areLimited() || queue.room <= 0) && lanes.areWaiting()));
		if (limited) {
			this.statements.update("update {queue} set limit_hit = ? where name = ? and limit_hit <> ?",
					QueueSnapshot.LIMIT_HIT, name, QueueSnapshot.LIMIT_HIT);
		}
		Gates gates = queue.gates;
		if (gates != null) {
			if (queue.quota.rates() != null) {
				gates.save();
			}
			queue.nextDue = gates.next(queue.nextDue, more, waiting || (lanes != null && lanes.areWaiting()));
		}
		return new Left(name, more, instant(queue.nextDue), (lanes != null) ? lanes.last() : queue.quota.after());
	}

	/** A queue during a claim. */
	private static final class Open {

		private final Quota quota;

		private final QueueSnapshot known;

		private final boolean due;

		/** Its rates and holds, or {@code null} if there are none. */
		private final @Nullable Gates gates;

		/** Its lanes, or {@code null} if no jobs in lanes are ready. */
		private @Nullable LaneTurns lanes;

		/** Whether ready jobs have no lane, but are not in line. */
		private boolean unnamed;

		private int room;

		private int most;

		/** How many jobs it has given in turn. */
		private int given;

		/** Whether it gave less than was wanted, so that none are left. */
		private boolean isSpent;

		private @Nullable Long nextDue;

		Open(Quota quota, QueueSnapshot known, @Nullable Gates gates, int room, boolean due) {
			this.quota = quota;
			this.known = known;
			this.gates = gates;
			this.room = room;
			this.due = due;
			this.nextDue = known.firstDue();
			this.unnamed = "".equals(known.firstLane());
		}

		int permits() {
			return (this.gates != null) ? this.gates.permits() : Integer.MAX_VALUE;
		}

		void gave(int count) {
			this.most -= count;
			this.room -= count;
			this.given += count;
			if (this.gates != null && count > 0) {
				this.gates.started(count);
			}
		}

		/**
		 * Return whether it may have ready jobs without a lane. They are not looked for
		 * where the first look found none.
		 */
		boolean mayHaveUnnamed() {
			return this.lanes == null || this.due || this.known.mayHaveReady();
		}

		Wanted wanting(int count) {
			return new Wanted(this.quota.queue(), count);
		}

	}

}
