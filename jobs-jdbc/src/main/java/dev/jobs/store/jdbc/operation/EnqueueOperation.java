package dev.jobs.store.jdbc.operation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobStoreException;
import dev.jobs.Unique.OnDuplicate;
import dev.jobs.store.NewJob;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;

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
	public static boolean isPlain(NewJob job) {
		return job.uniqueKey() == null && !job.isBounded();
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
		for (int left = TRIES; left > 0; left--) {
			UniqueKeys.Owner owner = (name != null) ? this.keys.owner(name) : null;
			if (owner != null && key != null) {
				return update(owner, job, key.onDuplicate());
			}
			if (isFull(job)) {
				return Enqueued.of(job.id(), Outcome.FULL, job.dueAt());
			}
			boolean holds = key != null && this.keys.counts(EpochMillis.ofOptional(key.until()));
			if (this.waiting.add(job, holds ? name : null)) {
				return Enqueued.of(job.id(), Outcome.NEW, job.dueAt());
			}
		}
		throw new CannotAcquireLockException("Others take the unique key of job " + job.id() + " all the time");
	}

	private Enqueued update(UniqueKeys.Owner owner, NewJob job, OnDuplicate rule) {
		if (rule == OnDuplicate.KEEP || !owner.isWaitingIn(job.name())) {
			return Enqueued.of(owner.id(), Outcome.DUPLICATE, EpochMillis.instant(owner.dueAt()));
		}
		this.statements.update("update {job} set payload = ?, headers = ? where id = ?", job.payload(),
				JsonColumns.headers(job.headers()), owner.id());
		int state = this.waiting.changeLane(owner.id(), job.name(), owner.state(), job.lane());
		if (rule == OnDuplicate.REPLACE) {
			return Enqueued.of(owner.id(), Outcome.REPLACED, EpochMillis.instant(owner.dueAt()));
		}
		this.waiting.move(owner.id(), owner.queue(), state, EpochMillis.of(job.dueAt()));
		return Enqueued.of(owner.id(), Outcome.RESCHEDULED, job.dueAt());
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
