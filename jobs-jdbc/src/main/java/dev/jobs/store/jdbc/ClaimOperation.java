package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.Dialect.FirstLook;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionSystemException;

/**
 * One claim: what each queue may give is found first, then the shares are given, then the
 * rest up to the limit.
 */
final class ClaimOperation implements AutoCommitOperation<ClaimReply> {

	/** Nothing runs under a token before the first that any worker holds. */
	private static final String RUNNING = """
			select q.name, (select count(*) from {job} j where j.queue = q.name and j.state = 2
				and j.token >= q.first)
			from (select d.queue as name, min(d.token) as first from %s d where d.queue in (??) group by d.queue) q""";

	private final UnitOfWork work;

	private final Statements statements;

	private final ClaimRequest request;

	private final long now;

	private @Nullable Map<String, QueueSnapshot> seen;

	private final List<Open> queues = new ArrayList<>();

	private final List<StoredJob> held = new ArrayList<>();

	ClaimOperation(UnitOfWork work, ClaimRequest request) {
		this.work = work;
		this.statements = work.statements();
		this.request = request;
		this.now = EpochMillis.of(request.now());
	}

	/**
	 * Look and hold without a transaction, which is all if there is nothing to give or
	 * nothing to count, to make ready and to tell.
	 */
	@Override
	public @Nullable ClaimReply runSingle() {
		boolean limited = this.request.quotas().stream().anyMatch((quota) -> quota.maxRunning() > 0);
		FirstLook first = lookAndHold(Math.max(this.request.limit(), 0),
				this.request.quotas()
					.stream()
					.map((quota) -> new Dialect.Wanted(quota.queue(),
							limited ? 0 : Math.max(Math.min(quota.share(), most(quota)), 0)))
					.toList());
		if (first == null) {
			return null;
		}
		if (!first.held().isEmpty()) {
			return holdMore(first);
		}
		if (this.request.quotas().stream().anyMatch((quota) -> mayGive(first.seen().get(quota.queue())))) {
			this.seen = first.seen();
			return null;
		}
		return nothing(first.seen());
	}

	private @Nullable FirstLook lookAndHold(int limit, List<Dialect.Wanted> wanted) {
		return this.work.dialect().lookAndHold(this.statements, this.request, wanted, limit);
	}

	private int most(Quota quota) {
		return Math.max(Math.min(quota.most(), this.request.limit()), 0);
	}

	/**
	 * Hold what the queues give beyond their shares. If that fails, it is as if the reply
	 * got lost: what is held already is found by the next beats.
	 */
	private ClaimReply holdMore(FirstLook first) {
		this.held.addAll(first.held());
		Set<String> more = new LinkedHashSet<>(first.more());
		int limit = this.request.limit() - this.held.size();
		List<Dialect.Wanted> wanted = beyondShares(first);
		if (limit > 0 && !wanted.isEmpty()) {
			try {
				FirstLook second = lookAndHold(limit, wanted);
				if (second != null) {
					wanted.forEach((each) -> more.remove(each.queue()));
					more.addAll(second.more());
					this.held.addAll(second.held());
				}
			}
			catch (DataAccessException ex) {
				throw new TransactionSystemException("A part of the claim failed", ex);
			}
		}
		return new ClaimReply(claims(), this.request.quotas().stream().map((quota) -> {
			QueueSnapshot sight = QueueSnapshot.of(first.seen(), quota.queue());
			return new Left(quota.queue(), more.contains(quota.queue()) && !sight.paused(), next(sight.firstDue()));
		}).toList(), null);
	}

	private List<Dialect.Wanted> beyondShares(FirstLook first) {
		Map<String, Integer> given = new HashMap<>();
		first.held().forEach((job) -> given.merge(job.queue(), 1, Integer::sum));
		return this.request.quotas()
			.stream()
			.filter((quota) -> first.more().contains(quota.queue()))
			.map((quota) -> new Dialect.Wanted(quota.queue(), most(quota) - given.getOrDefault(quota.queue(), 0)))
			.filter((wanted) -> wanted.count() > 0)
			.toList();
	}

	private boolean mayGive(@Nullable QueueSnapshot sight) {
		return sight != null && (sight.isDue(this.now) || (sight.mayHaveReady() && !sight.paused()));
	}

	@Override
	public ClaimReply run() {
		Map<String, QueueSnapshot> seen = (this.seen != null) ? this.seen
				: this.work.dialect().look(this.statements, this.request);
		if (seen == null) {
			return nothing(null);
		}
		open(seen);
		this.queues.forEach(this::promote);
		give(this.queues.stream().map((queue) -> queue.wanting(Math.min(queue.quota.share(), queue.most))).toList());
		give(this.queues.stream().map((queue) -> queue.wanting(queue.isSpent ? 0 : queue.most)).toList());
		tellOfRoom();
		return new ClaimReply(claims(), left(), null);
	}

	private List<Claim> claims() {
		return this.held.stream()
			.map((job) -> job.claim(this.request.worker(), job.token(), this.request.now()))
			.toList();
	}

	/**
	 * Reply that there is nothing, to a worker that is not alive not even for later.
	 */
	private ClaimReply nothing(@Nullable Map<String, QueueSnapshot> seen) {
		return new ClaimReply(List.of(), this.request.quotas().stream().map((quota) -> {
			QueueSnapshot sight = (seen != null) ? seen.get(quota.queue()) : null;
			return new Left(quota.queue(), false, (sight != null) ? next(sight.firstDue()) : null);
		}).toList(), null);
	}

	private static @Nullable Instant next(@Nullable Long due) {
		return (due != null) ? EpochMillis.instant(due) : null;
	}

	/**
	 * Find out what each queue may give.
	 */
	private void open(Map<String, QueueSnapshot> seen) {
		Map<String, Integer> limits = new HashMap<>();
		this.request.quotas().forEach((quota) -> {
			int limit = QueueSnapshot.of(seen, quota.queue()).limit(quota);
			if (limit > 0) {
				limits.put(quota.queue(), limit);
			}
		});
		Map<String, Long> running = running(limits.keySet());
		for (Quota quota : this.request.quotas()) {
			QueueSnapshot sight = QueueSnapshot.of(seen, quota.queue());
			Integer limit = limits.get(quota.queue());
			long room = (limit != null) ? limit - running.getOrDefault(quota.queue(), 0L) : Integer.MAX_VALUE;
			this.queues
				.add(new Open(quota, sight, (int) Math.max(sight.paused() ? 0 : room, 0), sight.isDue(this.now)));
		}
	}

	/**
	 * Count the running jobs of queues with a limit. These are locked, so that no other
	 * claim counts at the same time.
	 */
	private Map<String, Long> running(Set<String> limited) {
		Map<String, Long> running = new HashMap<>();
		if (!limited.isEmpty()) {
			List<String> unknown = new ArrayList<>();
			this.statements.query(
					"select name, limit_hit from {queue} where name in (??) order by name"
							+ this.work.dialect().locking(),
					(row, n) -> (row.getInt(2) == 0) && unknown.add(row.getString(1)), limited);
			if (!unknown.isEmpty()) {
				this.statements.update("update {queue} set limit_hit = ? where name in (??)", SettleOperation.LIMITED,
						unknown);
			}
			Dialect.Live live = this.work.dialect().live();
			this.statements.query(RUNNING.formatted(live.rows()),
					(row, n) -> running.put(row.getString(1), row.getLong(2)), live.with(limited));
		}
		return running;
	}

	/**
	 * Make due jobs of a queue ready, as many as it may give.
	 */
	private void promote(Open queue) {
		int most = Math.min(Math.min(queue.quota.most(), this.request.limit()), queue.room);
		queue.most = Math.max(most, 0);
		if (!queue.due || queue.most == 0) {
			return;
		}
		List<String> ids = this.statements.query(
				"select id from {job} where queue = ? and state = 0 and due_at <= ? order by due_at, id limit ?"
						+ this.work.dialect().skipping(),
				(row, n) -> row.getString(1), queue.quota.queue(), this.now, queue.most);
		List<Long> places = this.work.dialect().next(this.statements, "place", ids.size());
		List<@Nullable Object[]> rows = new ArrayList<>();
		for (int i = 0; i < ids.size(); i++) {
			rows.add(new @Nullable Object[] { places.get(i), ids.get(i) });
		}
		this.statements.batch("update {job} set state = 1, place = ? where id = ?", rows);
	}

	private void give(List<Dialect.Wanted> wanted) {
		int limit = this.request.limit() - this.held.size();
		List<Dialect.Wanted> asked = wanted.stream().filter((each) -> each.count() > 0).toList();
		if (limit <= 0 || asked.isEmpty()) {
			return;
		}
		List<StoredJob> found = this.work.dialect()
			.hold(this.statements, asked, limit, this.request.worker(), this.now);
		this.held.addAll(found);
		Map<String, Integer> given = new HashMap<>();
		found.forEach((job) -> given.merge(job.queue(), 1, Integer::sum));
		Map<String, Integer> counts = new HashMap<>();
		asked.forEach((each) -> counts.put(each.queue(), each.count()));
		for (Open queue : this.queues) {
			int got = given.getOrDefault(queue.quota.queue(), 0);
			queue.isSpent |= got < counts.getOrDefault(queue.quota.queue(), 0) && found.size() < limit;
			queue.most -= got;
			queue.room -= got;
		}
	}

	private void tellOfRoom() {
		this.held.stream().map(StoredJob::queue).distinct().forEach((name) -> {
			if (this.queues.stream().anyMatch((queue) -> queue.quota.queue().equals(name) && queue.known.refuses())) {
				this.work.tellOfRoom(name);
			}
		});
	}

	/**
	 * Return which queues have ready jobs.
	 */
	private Set<String> waiting() {
		Map<String, Long> places = new HashMap<>();
		this.queues.forEach((queue) -> places.put(queue.quota.queue(), 0L));
		this.held.forEach((job) -> places.merge(job.queue(), job.place(), Math::max));
		return this.work.dialect().withReady(this.statements, places);
	}

	private List<Left> left() {
		Set<String> waiting = waiting();
		Map<String, Long> firstDue = new HashMap<>();
		List<String> passed = this.queues.stream()
			.filter((queue) -> queue.due)
			.map((queue) -> queue.quota.queue())
			.toList();
		if (!passed.isEmpty()) {
			firstDue.putAll(QueueSnapshot.firstDue(this.statements, passed, Long.MIN_VALUE));
			Map<String, Long> next = QueueSnapshot.firstDue(this.statements, passed, this.now + 1);
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
		if (waiting && queue.room <= 0 && !queue.known.paused()) {
			this.statements.update("update {queue} set limit_hit = ? where name = ? and limit_hit <> ?",
					SettleOperation.LIMIT_HIT, name, SettleOperation.LIMIT_HIT);
		}
		return new Left(name, waiting && queue.room > 0, next(queue.nextDue));
	}

	/** A queue during a claim. */
	private static final class Open {

		private final Quota quota;

		private final QueueSnapshot known;

		private final boolean due;

		private int room;

		private int most;

		/** Whether it gave less than was wanted, so nothing is left. */
		private boolean isSpent;

		private @Nullable Long nextDue;

		Open(Quota quota, QueueSnapshot known, int room, boolean due) {
			this.quota = quota;
			this.known = known;
			this.room = room;
			this.due = due;
			this.nextDue = known.firstDue();
		}

		Dialect.Wanted wanting(int count) {
			return new Dialect.Wanted(this.quota.queue(), count);
		}

	}

}
