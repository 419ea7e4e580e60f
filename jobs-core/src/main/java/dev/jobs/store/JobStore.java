package dev.jobs.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobStoreException;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.ScheduleView;

/**
 * Keeps jobs. The engine knows nothing else of a store, and the published contract tests
 * this interface.
 * <p>
 * Rules for every verb:
 * <ul>
 * <li>each item of a batch is applied fully or not at all;</li>
 * <li>no item of a batch delays the others: a call that refuses one, although the store
 * is in reach, throws a fault that is not {@link JobStoreException#isTemporary()
 * temporary}, so that the engine divides the batch; where the store chooses the jobs
 * itself, it skips those that it cannot change, tries them again after a rest and names
 * them in {@link JobInspector#faults()};</li>
 * <li>a call may be repeated after its reply got lost, and does not do its work
 * twice;</li>
 * <li>the call passes the time; a store never reads a clock of the application, and reads
 * the clock of its server only where a verb requires it;</li>
 * <li>payloads are opaque;</li>
 * <li>every fault of the store is thrown as a {@link JobStoreException}; it is
 * {@link JobStoreException#isRefused() refused} only if the whole call changed
 * nothing;</li>
 * <li>work is bounded by the arguments, whatever the store holds.</li>
 * </ul>
 * A store may consist of parts that fail independently, with each queue in one of them.
 * While a part fails, calls do what they can in the others. In the failed part no job is
 * claimed, taken over or pruned, ends of jobs are {@link Settled#UNDECIDED}, ticks of
 * schedules are {@link TickReply#UNDECIDED}, and a worker holds the jobs that this
 * process knows until the last renewed lease has run out. An enqueue throws if any of its
 * jobs cannot be stored. If all parts fail, every call throws.
 * <p>
 * A queue is the set of jobs of one name. It exists once a job was enqueued, and needs no
 * declaration.
 */
public interface JobStore {

	/**
	 * Store new jobs. A job whose due time is not after {@code now} goes to the back of
	 * its queue's ready jobs, in the order given; another waits until it is due.
	 * <p>
	 * If a job with its id is stored in its queue already, {@link Enqueued.Outcome#NEW}
	 * is returned again with the due time of the stored job, and nothing changes; ids of
	 * different queues must differ. Otherwise its {@linkplain NewJob#throttle throttle}
	 * is checked: until that of a job of the same queue with an equal key is over,
	 * {@link Enqueued.Outcome#DUPLICATE} is returned with the id of that job, though it
	 * may be gone, and the end of its time. Then the unique key is checked: while its
	 * owner qualifies, the rule decides the outcome and the change to the owner, and the
	 * owner's id and due time are returned; an owner that does not wait, or is of another
	 * queue, is never changed, and {@link Enqueued.Outcome#DUPLICATE} is returned.
	 * Headers are replaced together with the payload they describe. A rescheduled owner
	 * moves as by {@link Change.Reschedule}, to the time that
	 * {@link NewJob.UniqueKey#dueAt} returns. Then the bound of waiting jobs is checked:
	 * for a queue with that many of them, due or not, or for a lane with that many ready
	 * ones, {@link Enqueued.Outcome#FULL} is returned.
	 * <p>
	 * A key's owner qualifies in the states that its mode
	 * {@linkplain NewJob.UniqueKey#isHeldIn(dev.jobs.Unique.Mode, dev.jobs.JobState)
	 * names}, and only while the key {@linkplain NewJob.UniqueKey#counts counts}. A job
	 * that lost its key to another job never frees that key.
	 * @return what happened, one for each job, in their order
	 */
	List<Enqueued> enqueue(List<NewJob> jobs, Instant now);

	/**
	 * Give ready jobs to a worker, which holds them under a token. First, jobs whose time
	 * has come become ready behind those that are, the earliest due first and by id among
	 * equals. In each queue as many become ready as it may give to this request, so that
	 * the work is bounded and due jobs get their turn however many are enqueued.
	 * <p>
	 * First each queue in the order of the request gives up to its share, then, while
	 * fewer than the limit are found, each gives up to its maximum. A queue gives nothing
	 * while it is paused, and never more than its running limit minus its jobs that run
	 * now, on all workers; a stored limit replaces the requested one. Jobs of a vanished
	 * worker run until they are taken over and settled. A claimed job with the mode
	 * {@code UNTIL_STARTED} gives its unique key up.
	 * <p>
	 * <b>Lanes.</b> While jobs of lanes are ready in a queue, its lanes take turns in the
	 * order of their names, and the jobs without a lane are one of them, before all
	 * others. Each time, the lanes behind the one that gave jobs last which may give, no
	 * more of them than jobs are wanted, give equal numbers, at least one each, or that
	 * many times their weight, while jobs are wanted; and so on. Within a lane and an
	 * urgency the earliest due comes first, then goes the order of ids, whatever happened
	 * to the job before. A lane gives nothing while as many of its jobs run as the quota
	 * allows or, instead, a {@linkplain Change.SetLane stored limit} of the lane, nor
	 * while it is paused. If the limit of the quota was raised since, a lane that had
	 * reached it may count by the old one until one of its jobs ends.
	 * <p>
	 * <b>Urgency.</b> Among the jobs without a lane, and in each lane, the most urgent
	 * come first, except for those whose
	 * {@linkplain dev.jobs.store.support.Standing#turns turn} it is by the number of jobs
	 * that the queue gave before and in this claim. The jobs that a lane gives at once
	 * are in the order of their urgency, whichever have a turn. Jobs without a lane of
	 * another urgency than normal count as jobs of lanes in all else.
	 * <p>
	 * Each job of a reply is held under a token that is greater than any handed out
	 * before for the same queue. Jobs that were found in one step share a token.
	 * <p>
	 * A worker that is not registered, or whose lease ran out strictly before now, gets
	 * no jobs, since nothing would protect its claims: the reply has no more jobs and no
	 * next due time.
	 * @param request what is wanted
	 * @return the claims and what is left
	 */
	ClaimReply claim(ClaimRequest request);

	/**
	 * Take over jobs whose worker vanished, or whose claim never reached the worker that
	 * asks. A worker whose lease ran out strictly before now is forgotten at once,
	 * whatever queues it served: all its tokens are closed from then on, but a job that
	 * nobody has taken over yet may still be settled. Until a call of this verb notices,
	 * the worker's next beat simply renews the lease. A lease may end later than its own
	 * length from now, because the time was set back or another program wrote it. A call
	 * that asks for the jobs of vanished workers cuts it to that length.
	 * <p>
	 * If the request says that its time is {@linkplain TakeOver#serverTime() that of the
	 * server}, the clock of the server must agree at that moment: a lease counts as over,
	 * or too long, only by both times. So a worker that does not know yet of a clock
	 * change does not harm others.
	 * <p>
	 * A job that is taken over keeps running, so limits count it as before; a request to
	 * cancel it stays, and so does its report, which shows that its handler had begun.
	 * Its delivery begins with this call. A worker that is itself unknown or expired gets
	 * no jobs; its own call does not forget an expired worker, since it is clearly alive.
	 * Jobs of one queue that were held under one token come in the order of their ids. If
	 * there are more than the limit, any of them may come first.
	 * @param request whose jobs are wanted
	 * @return the jobs, held by the requesting worker under a new token, and nothing on
	 * what is left in the queues
	 */
	ClaimReply takeOver(TakeOver request);

	/**
	 * Settle jobs that ended. A transition is applied only if its job is held under the
	 * transition's token; the job moves and its unique key is kept or freed as the
	 * transition requires, in one step. The tokens of a vanished worker stay valid until
	 * its jobs are taken over. An {@linkplain Transition#end end} that is to be kept is
	 * written in the same step, and listeners hear of it.
	 * @param transitions the ends
	 * @param now the time
	 * @return what happened, one for each transition, in their order
	 */
	List<Settled> settle(List<Transition> transitions, Instant now);

	/**
	 * Save values of running jobs. A value is saved only if its job is held under the
	 * token of the save, and replaces the one that the job has saved by this name. The
	 * saves of one job are applied in their order.
	 * <p>
	 * What a job has saved stays through its retries and its death. It goes when the job
	 * is removed or gets another payload, and when it succeeds or is cancelled. An end of
	 * a run that does not {@linkplain Transition#saved say} that there is something to
	 * remove may leave it to {@link #prune}.
	 * @param saves the values
	 * @param now the time
	 * @return what happened, one for each save, in their order
	 */
	List<Settled> save(List<Save> saves, Instant now);

	/**
	 * Renew a worker's lease, or register it, or deregister it, and store the reports of
	 * its running jobs. A worker that was forgotten is registered again without open
	 * tokens; a worker that deregisters has no open tokens either.
	 * <p>
	 * Its report is added to the tallies of the minutes and tens of minutes, unless the
	 * number of the report shows that it was added before. The number is forgotten with
	 * the worker, so a report that comes when the worker deregisters, or around the end
	 * of its lease, may be added twice. If a report cannot be added, for example while
	 * others lock the statistics, the beat counts anyway, and
	 * {@link BeatReply#reported()} is {@code false}.
	 * @return what the store knows of the worker
	 */
	BeatReply beat(WorkerBeat beat);

	/**
	 * Apply an operator's changes to jobs, queues and schedules.
	 * @param changes the changes
	 * @param now the time
	 * @return what happened, one for each change, in their order
	 */
	List<Changed> change(List<Change> changes, Instant now);

	/**
	 * Remove what is too old or too much, a bounded part of it. Kept ends go when their
	 * time is over.
	 * <p>
	 * A job that waits, also in a paused queue, and {@linkplain Job#isExpired has
	 * expired} goes as its {@linkplain Job#onExpiry end} says; one that has begun is
	 * dead. An earlier claim may give it to a worker, which is to look as well.
	 * @param request the bounds
	 * @return what was removed
	 */
	Pruned prune(PruneRequest request);

	/**
	 * Claim ticks of schedules and enqueue their jobs, each in one step. A tick is
	 * claimed if it is after the latest known tick of its schedule, or if no tick is
	 * known; the fate of its job does not matter. The latest tick offered again with the
	 * same job id is a repeat, by another process or since the reply got lost: it returns
	 * its earlier result, marked as {@link TickReply#repeated() repeated}, and enqueues
	 * nothing, even if the job is gone. An earlier tick that is offered again returns the
	 * same as if another process had claimed it.
	 * <p>
	 * A tick of a paused schedule is claimed, but enqueues nothing and returns the same
	 * as if another process had claimed it. The latest {@value ScheduleView#FIRED_KEPT}
	 * other ticks are remembered, until the schedule starts over.
	 * <p>
	 * A tick without a job only registers the schedule, its definition and its queue. If
	 * it is unknown, or known with another definition, the tick's instant becomes the
	 * latest, unless a later one is known. Firing does not change what was registered.
	 * <p>
	 * A tick with a {@linkplain NewSchedule#version version} is of a schedule that was
	 * {@linkplain Change.PutSchedule put}. It changes nothing, and returns the same as if
	 * another had claimed it, unless the schedule is there in this version. If it is
	 * claimed, the schedule is looked at again at its {@link Tick#next}. Without a job it
	 * passes over what is due until its instant. While a schedule of the application is
	 * overridden, its ticks without a version are not claimed, and its registration, if
	 * the definition and the queue are those that were overridden, returns its own
	 * instant as the latest; if not, it ends the override.
	 * <p>
	 * A store that would have to wait for a schedule may reply {@link TickReply#LOCKED}
	 * to its tick and to all later ones of the call, and decides about the others.
	 * @param ticks the ticks; those of one schedule in their order and for one queue
	 * @param now the time
	 * @return whether each was claimed, and the latest tick known, in their order
	 */
	List<TickReply> fireTicks(List<Tick> ticks, Instant now);

	/**
	 * Return the time by the clock of the server that keeps the jobs. All processes that
	 * share the jobs use it, so that their own clocks do not matter; a store on several
	 * servers uses one of them as long as that one answers. It is the time that
	 * {@link BeatReply#serverTime()} returns.
	 * @return the time, or empty if there is no such clock
	 */
	Optional<Instant> time();

	/**
	 * Notify a listener when something may have become possible, as soon as the store
	 * can. Signals may get lost, come late or come without a reason, so do not rely on
	 * them.
	 * @return the subscription; closing it ends it
	 */
	Subscription listen(StoreListener listener);

	/**
	 * Return this store as one of its abilities besides the verbs, if it has it:
	 * {@link TransactionalJobStore}, {@link OutboxTarget}, {@link EarlyEnqueue}. A store
	 * simply implements the abilities it has. A wrapper returns the ability of the
	 * wrapped store in a wrapper of its own, so that it is never bypassed, and nothing
	 * for an ability it does not know.
	 * @return this store with that ability, or empty if it lacks it
	 */
	default <T> Optional<T> as(Class<T> ability) {
		return Optional.of(this).filter(ability::isInstance).map(ability::cast);
	}

	/**
	 * Return the reading side of this store.
	 */
	JobInspector inspector();

	/**
	 * A listener's subscription.
	 */
	@FunctionalInterface
	interface Subscription extends AutoCloseable {

		@Override
		void close();

	}

}
