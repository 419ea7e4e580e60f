package dev.jobs.store.jdbc.operation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.Enqueued.Outcome;
import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.Unique.OnDuplicate;
import dev.jobs.store.NewJob;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.saved.SavedValues;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.support.Standing;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;

/**
 * One enqueue. Jobs that no rule can refuse are written together, others one by one.
 */
public final class EnqueueOperation {

	private static final int TRIES = 10;

	private final UnitOfWork work;

	private final Statements statements;

	private final JobInserts inserts;

	private final List<NewJob> jobs;

	private final long now;

	private final UniqueKeys keys;

	private final ReadyLine waiting;

	public EnqueueOperation(UnitOfWork work, JobInserts inserts, List<NewJob> jobs, Instant now) {
		this.work = work;
		this.statements = work.statements();
		this.inserts = inserts;
		this.jobs = jobs;
		this.now = EpochMillis.of(now);
		this.keys = new UniqueKeys(work, this.now);
		this.waiting = new ReadyLine(work, this.now);
	}

	public List<Enqueued> run() {
		List<Enqueued> reply = new ArrayList<>(this.jobs.size());
		List<NewJob> plain = new ArrayList<>();
		for (NewJob job : this.jobs) {
			if (isPlain(job)) {
				plain.add(job);
				continue;
			}
			addPlain(plain, reply);
			plain.clear();
			reply.add(addRuled(job));
		}
		addPlain(plain, reply);
		return reply;
	}

	/**
	 * Return whether no rule can refuse a job.
	 */
	private static boolean isPlain(NewJob job) {
		return job.uniqueKey() == null && !job.isBounded() && job.throttle() == null;
	}

	/**
	 * Return whether one insert stores all there is of a job.
	 */
	public static boolean isOneInsert(NewJob job) {
		return isPlain(job) && job.firstExpiry() == null;
	}

	private void addPlain(List<NewJob> jobs, Collection<Enqueued> reply) {
		if (jobs.isEmpty()) {
			return;
		}
		Set<String> news = this.waiting.add(this.inserts, jobs);
		Map<String, Long> known = (news.size() < jobs.size()) ? dueTimes(jobs) : Map.of();
		for (NewJob job : jobs) {
			Long dueAt = known.get(job.id());
			if (dueAt == null && !news.contains(job.id())) {
				throw new JobStoreException(
						"The database neither stored the job " + job.id() + " nor has it, and did not say why", null,
						true);
			}
			reply.add(Enqueued.of(job.id(), Outcome.NEW, (dueAt != null) ? EpochMillis.instant(dueAt) : job.dueAt()));
		}
		setExpiry(jobs, news);
	}

	/**
	 * Set when to look at new jobs that may expire; others cost nothing.
	 */
	private void setExpiry(List<NewJob> jobs, Set<String> news) {
		List<NewJob> expiring = jobs.stream()
			.filter((job) -> job.firstExpiry() != null && news.contains(job.id()))
			.toList();
		if (!expiring.isEmpty()) {
			this.statements.batch("update {job} set expires_at = ? where id = ?",
					expiring.stream()
						.map((job) -> new @Nullable Object[] { EpochMillis.ofOptional(job.firstExpiry()), job.id() })
						.toList());
		}
	}

	private Map<String, Long> dueTimes(List<NewJob> jobs) {
		Map<String, Long> known = new HashMap<>();
		this.statements.query("select id, due_at from {job} where id in (??)",
				(row, n) -> known.put(row.getString(1), row.getLong(2)), jobs.stream().map(NewJob::id).toList());
		return known;
	}

	/**
	 * Add a job that a rule may refuse. Another transaction may take the key between the
	 * query and the insert, so it is tried again.
	 */
	private Enqueued addRuled(NewJob job) {
		Long stored = this.statements.first("select due_at from {job} where id = ?", (row, n) -> row.getLong(1),
				job.id());
		if (stored != null) {
			return Enqueued.of(job.id(), Outcome.NEW, EpochMillis.instant(stored));
		}
		NewJob.UniqueKey key = job.uniqueKey();
		String name = KeyColumns.name(job.name(), key);
		NewJob.Throttle throttle = job.throttle();
		for (int left = TRIES; left > 0; left--) {
			Enqueued earlier = (throttle != null) ? inWindow(job, throttle) : null;
			if (earlier != null) {
				return earlier;
			}
			UniqueKeys.Owner owner = (name != null) ? this.keys.owner(name) : null;
			if (owner != null && key != null) {
				return update(owner, job, key);
			}
			if (isFull(job)) {
				return Enqueued.of(job.id(), Outcome.FULL, job.dueAt());
			}
			if (throttle != null && !beginWindow(job, throttle)) {
				continue;
			}
			boolean holds = key != null && this.keys.counts(EpochMillis.ofOptional(key.until()));
			if (this.waiting.add(job, holds ? name : null)) {
				setExpiry(List.of(job), Set.of(job.id()));
				return Enqueued.of(job.id(), Outcome.NEW, job.dueAt());
			}
		}
		throw new CannotAcquireLockException("Others take the unique key of job " + job.id() + " all the time");
	}

	/**
	 * Return the other job that keeps those with a key out now.
	 */
	private @Nullable Enqueued inWindow(NewJob job, NewJob.Throttle throttle) {
		return this.statements.first(
				"select job_id, until_at from {throttle} where id = ? and until_at > ? and job_id <> ?"
						+ this.work.dialect().locking(),
				(row, n) -> Enqueued.of(row.getString(1), Outcome.DUPLICATE, EpochMillis.instant(row.getLong(2))),
				throttleId(job.name(), throttle), this.now, job.id());
	}

	/**
	 * Keep others with the same key out.
	 * @return whether it may; not if another job was faster
	 */
	private boolean beginWindow(NewJob job, NewJob.Throttle throttle) {
		String id = throttleId(job.name(), throttle);
		long until = EpochMillis.of(throttle.until());
		return this.statements.update(
				"update {throttle} set until_at = ?, job_id = ? where id = ? and (until_at <= ? or job_id = ?)", until,
				job.id(), id, this.now, job.id()) > 0
				|| this.work.dialect()
					.insertNew(this.statements, "throttle", "id, until_at, job_id", id, until, job.id());
	}

	private static String throttleId(String queue, NewJob.Throttle throttle) {
		return queue + " " + throttle.key();
	}

	private Enqueued update(UniqueKeys.Owner owner, NewJob job, NewJob.UniqueKey key) {
		OnDuplicate rule = key.onDuplicate();
		if (rule == OnDuplicate.KEEP || !owner.isWaitingIn(job.name())) {
			return Enqueued.of(owner.id(), Outcome.DUPLICATE, EpochMillis.instant(owner.dueAt()));
		}
		this.statements.update("update {job} set payload = ?, headers = ?, expires_at = ? where id = ?", job.payload(),
				JsonColumns.headers(job.headers()), EpochMillis.ofOptional(job.firstExpiry()), owner.id());
		new SavedValues(this.statements).forget(List.of(owner.id()));
		int state = this.waiting.changeStanding(owner.id(), job.name(), owner.state(), Standing.of(job.headers()));
		if (rule == OnDuplicate.REPLACE) {
			return Enqueued.of(owner.id(), Outcome.REPLACED, EpochMillis.instant(owner.dueAt()));
		}
		Instant dueAt = key.dueAt(job.dueAt(), (owner.until() != null) ? EpochMillis.instant(owner.until()) : null);
		this.waiting.move(owner.id(), owner.queue(), state, EpochMillis.of(dueAt));
		return Enqueued.of(owner.id(), Outcome.RESCHEDULED, dueAt);
	}

	/**
	 * Return whether a queue has as many waiting jobs as this one allows. The queue is
	 * locked, since others may be about to add to it; but not in a transaction of the
	 * application, since claims would wait for its end.
	 */
	private boolean isFull(NewJob job) {
		if (!job.isBounded()) {
			return false;
		}
		this.work.openQueue(job.name());
		if (this.work.mayLock()) {
			this.statements.query("select name from {queue} where name = ?" + this.work.dialect().locking(),
					(row, n) -> row.getString(1), job.name());
		}
		boolean longQueue = job.maxWaiting() > 0 && waiting(job) >= job.maxWaiting();
		boolean longLane = job.maxInLane() > 0 && job.lane() != null && this.statements.number(
				"select count(*) from (select 1 from {job} where queue = ? and state = {laned} and lane = ? limit ?) counted",
				job.name(), job.lane(), job.maxInLane()) >= job.maxInLane();
		if (!longQueue && !longLane) {
			return false;
		}
		int reached = longLane ? Integer.MAX_VALUE : job.maxWaiting();
		if (this.work.mayLock()) {
			this.statements.update("update {queue} set refused_length = ? where name = ? and refused_length < ?",
					reached, job.name(), reached);
		}
		return true;
	}

	/**
	 * Count the jobs that wait in the queue of a job, up to its bound.
	 */
	private long waiting(NewJob job) {
		long waiting = this.statements.number(
				"select count(*) from (select 1 from {job} where queue = ? and state = {ready} limit ?) counted",
				job.name(), job.maxWaiting());
		waiting += this.statements.number(
				"select count(*) from (select 1 from {job} where queue = ? and state = {scheduled} limit ?) counted",
				job.name(), job.maxWaiting());
		waiting += this.statements.number(
				"select count(*) from (select 1 from {job} where queue = ? and state = {laned} limit ?) counted",
				job.name(), job.maxWaiting());
		return waiting;
	}

}
