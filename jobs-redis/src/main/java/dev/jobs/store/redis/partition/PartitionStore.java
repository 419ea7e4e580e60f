package dev.jobs.store.redis.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Trail;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.partition.ClaimCall.Demand;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.FaultLog;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Links;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.PendingReply;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.redis.wire.Script;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.support.StoredCode;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerJson;
import org.jspecify.annotations.Nullable;

/**
 * Runs the verbs in one partition, each with one script. A verb that goes to several
 * partitions at once can also be sent without waiting for its reply.
 */
public final class PartitionStore implements StoreVerbs {

	private final Links links;

	private final Partition partition;

	/** The tokens of a partition are multiples of this, plus its number. */
	private final int tokenStep;

	private final Repair repair;

	private final Map<String, HeldTokens> held = new ConcurrentHashMap<>();

	public PartitionStore(Links links, Partition partition, int tokenStep, FaultLog faultLog) {
		this.links = links;
		this.partition = partition;
		this.tokenStep = tokenStep;
		this.repair = new Repair(links.commands(), partition, faultLog);
	}

	public Partition partition() {
		return this.partition;
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Duration memory, Instant now, Consumer<List<Enqueued>> early) {
		List<EnqueueBatch> batches = new ArrayList<>();
		EnqueueBatch open = null;
		for (int i = 0; i < jobs.size(); i++) {
			if (open == null || open.isFull()) {
				open = new EnqueueBatch(this.links.enqueues(), this.partition, memory, now);
				batches.add(open);
			}
			open.add(jobs.get(i), i);
		}
		return new BatchedEnqueue(this.links, batches, jobs.size()).run(early);
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return request.quotas().isEmpty() ? new ClaimReply(List.of(), List.of())
				: sendClaim(request.worker(), Demand.of(request), request.limit(), request.now()).get();
	}

	public PendingReply<ClaimReply> sendClaim(String worker, List<Demand> demands, int limit, Instant now) {
		return send(Script.CLAIM, ClaimCall.claim(at(now), worker, demands, limit),
				(reply) -> remembered(worker, ClaimCall.read(reply, worker, demands, now, this.repair)));
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return sendTakeOver(request, request.serverTime() ? null : request.now()).get();
	}

	/**
	 * Send a takeover.
	 * @param serverTime the time common to all servers; {@code null} if this partition is
	 * alone, to use its server's time
	 */
	public PendingReply<ClaimReply> sendTakeOver(TakeOver request, @Nullable Instant serverTime) {
		return send(Script.TAKEOVER, ClaimCall.takeOver(at(request.now()), request, serverTime), (reply) -> {
			ClaimReply claimed = new ClaimReply(ClaimCall.claims(reply, request.worker(), request.now()), List.of());
			this.repair.cutLeases(reply.list());
			return remembered(request.worker(), claimed);
		});
	}

	/**
	 * Begin the arguments of a script that makes a token.
	 */
	private Arguments at(Instant now) {
		return Arguments.at(now).add(this.tokenStep).add(this.partition.number());
	}

	private ClaimReply remembered(String worker, ClaimReply reply) {
		HeldTokens tokens = this.held.get(worker);
		if (tokens != null) {
			tokens.claimed(reply.claims());
		}
		return reply;
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return transitions.isEmpty() ? List.of() : sendSettle(transitions, now).get();
	}

	public PendingReply<List<Settled>> sendSettle(List<Transition> transitions, Instant now) {
		SettleCall call = new SettleCall(transitions, now);
		return send(Script.SETTLE, call.arguments(), call::read);
	}

	@Override
	public List<Settled> save(List<Save> saves, Instant now) {
		return saves.isEmpty() ? List.of() : sendSave(saves, now).get();
	}

	public PendingReply<List<Settled>> sendSave(List<Save> saves, Instant now) {
		Arguments arguments = Arguments.at(now);
		for (Save save : saves) {
			arguments.add(save.job()).add(save.queue()).add(save.token()).add(save.name()).add(save.value());
		}
		return send(Script.SAVE, arguments, (reply) -> {
			Settled[] saved = new Settled[saves.size()];
			Arrays.fill(saved, Settled.APPLIED);
			while (reply.hasMore()) {
				saved[(int) reply.number()] = Settled.valueOf(reply.text());
			}
			return Arrays.asList(saved);
		});
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		try {
			return sendBeat(beat).get();
		}
		finally {
			if (beat.leaving()) {
				forget(beat.worker());
			}
		}
	}

	public PendingReply<BeatReply> sendBeat(WorkerBeat beat) {
		HeldTokens tokens = this.held.computeIfAbsent(beat.worker(), (worker) -> new HeldTokens());
		Arguments arguments = Arguments.at(beat.now())
			.add(beat.worker())
			.add(beat.now().plus(beat.lease()))
			.add(beat.leaving() ? 1 : 0)
			.add(Objects.requireNonNullElse(WorkerJson.of(beat.info()), ""))
			.add(beat.report().number())
			.add((long) beat.report().tallies().size() * Tally.Span.values().length)
			.add(tokens.toFields());
		for (Tally tally : beat.report().tallies()) {
			for (Tally.Span span : Tally.Span.values()) {
				arguments.add(span.length().toMinutes())
					.add(span.startOf(tally.start()))
					.add(tally.queue())
					.add(Formats.tally(tally));
			}
		}
		for (WorkerBeat.Note note : beat.notes()) {
			arguments.add(note.jobId()).add(note.queue()).add(note.token()).add(WorkerJson.of(note.progress()));
		}
		return new PendingReply<>(this.links.beats().send(Script.BEAT, this.partition, arguments),
				(reply) -> beatReply(reply, tokens));
	}

	private static BeatReply beatReply(Reply reply, HeldTokens tokens) {
		Map<String, Integer> names = new HashMap<>();
		Reply held = reply.list();
		while (held.hasMore()) {
			names.put(held.text(), (int) held.number());
		}
		tokens.replace(names);
		Set<String> cancelled = new HashSet<>();
		Reply ids = reply.list();
		while (ids.hasMore()) {
			cancelled.add(ids.text());
		}
		return new BeatReply(tokens.jobs(), cancelled, reply.list().time()).withFirstTick(reply.optionalInstant())
			.withSettings(reply.number());
	}

	/**
	 * Return how many jobs a worker holds under each token, as far as this process knows.
	 */
	public Map<Long, Integer> held(String worker) {
		HeldTokens tokens = this.held.get(worker);
		return (tokens != null) ? tokens.jobs() : Map.of();
	}

	/**
	 * Forget the tokens a worker held before its last beat, because its lease has run
	 * out.
	 */
	public void expire(String worker) {
		HeldTokens tokens = this.held.get(worker);
		if (tokens != null) {
			tokens.expire();
		}
	}

	public void forget(String worker) {
		this.held.remove(worker);
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		List<Changed> changed = new ArrayList<>(changes.size());
		for (int from = 0; from < changes.size(); from += ChangeCall.MOST_CHANGES) {
			List<Change> some = changes.subList(from, Math.min(from + ChangeCall.MOST_CHANGES, changes.size()));
			changed.addAll(sendChange(some, now).get());
		}
		return changed;
	}

	public PendingReply<List<Changed>> sendChange(List<Change> changes, Instant now) {
		return send(Script.CHANGE, ChangeCall.arguments(changes, now), ChangeCall::read);
	}

	@Override
	public Pruned prune(PruneRequest request) {
		Pruned pruned = sendPrune(request, request.limit()).get();
		forgetSchedules(request, (call) -> call.get().get());
		repair(request.now());
		return pruned;
	}

	public PendingReply<Pruned> sendPrune(PruneRequest request, int limit) {
		Trail.End end = Trail.End.of(DeadReason.NO_HANDLER, "No live worker handles this job", request.now());
		Arguments arguments = Arguments.at(request.now())
			.add(request.deadBefore())
			.add(request.deadKept())
			.add(request.historyBefore())
			.add(request.historyKept())
			.add(request.strandedBefore())
			.add(limit)
			.add(Formats.end(end))
			.add(Formats.end(Trail.End.of(DeadReason.EXPIRED, Pruned.EXPIRED, request.now())))
			.add(request.now().plus(Pruned.UNTIL_NEXT_LOOK));
		for (Tally.Span span : Tally.Span.values()) {
			arguments.add(span.length().toMinutes()).add(span.keptSince(request.now()));
		}
		return send(Script.PRUNE, arguments, (reply) -> new Pruned((int) reply.number(), (int) reply.number(),
				(int) reply.number(), reply.flag(), expired(reply.list())));
	}

	private static List<Pruned.Expired> expired(Reply reply) {
		List<Pruned.Expired> expired = new ArrayList<>();
		while (reply.hasMore()) {
			expired.add(new Pruned.Expired(reply.text(), reply.text(), reply.flag()));
		}
		return expired;
	}

	/**
	 * Remove old schedules, few by each call, so that none holds up the server.
	 * @param caller makes a call and returns where to go on, or {@code null} to stop
	 */
	public void forgetSchedules(PruneRequest request,
			Function<Supplier<PendingReply<String>>, @Nullable String> caller) {
		String cursor = (request.schedulesBefore() != null) ? "0" : null;
		while (cursor != null) {
			Arguments arguments = Arguments.at(request.now()).add(request.schedulesBefore()).add(cursor);
			String next = caller.apply(() -> send(Script.FORGET, arguments, Reply::text));
			cursor = "0".equals(next) ? null : next;
		}
	}

	/**
	 * Check and repair a part of the structures, unless that was done a moment ago.
	 * @return whether it was done
	 */
	public boolean repair(Instant now) {
		return this.repair.sweep(now);
	}

	@Override
	public Map<String, Long> repairs() {
		return this.repair.repairs();
	}

	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		return sendTicks(ticks, null, now).get();
	}

	/**
	 * Fire ticks of schedules.
	 * @param owner the job that owns their jobs' key, so that they are not stored; {@code
	 * null} to look it up
	 */
	public PendingReply<List<TickReply>> sendTicks(List<Tick> ticks, @Nullable Enqueued owner, Instant now) {
		Arguments arguments = Arguments.at(now);
		for (Tick tick : ticks) {
			NewSchedule schedule = tick.schedule();
			NewJob job = tick.job();
			arguments.add(schedule.name()).add(schedule.definition()).add(schedule.queue()).add(tick.instant());
			arguments.add((schedule.version() != null) ? schedule.version() : "").add(tick.next());
			if (job != null && owner == null) {
				EnqueueBatch.write(job, arguments);
			}
			else {
				arguments.add((job != null) ? job.id() : "")
					.add("")
					.add((owner != null) ? owner.id() : "")
					.add((owner != null) ? owner.dueAt() : null)
					.add("")
					.add("");
			}
		}
		return send(Script.FIRETICK, arguments, PartitionStore::tickReplies);
	}

	private static List<TickReply> tickReplies(Reply reply) {
		List<TickReply> replies = new ArrayList<>();
		while (reply.hasMore()) {
			Instant latest = reply.instant();
			Enqueued.Outcome outcome = StoredCode.OUTCOME.find(reply.text());
			String id = reply.text();
			Instant dueAt = reply.optionalInstant();
			Enqueued enqueued = (outcome != null && dueAt != null) ? Enqueued.of(id, outcome, dueAt) : null;
			replies.add(new TickReply(enqueued, latest, reply.flag()));
		}
		return replies;
	}

	@Override
	public Instant time() {
		return sendTime().get();
	}

	public PendingReply<Instant> sendTime() {
		return send(Script.TIME, Arguments.at(Instant.EPOCH), Reply::time);
	}

	/**
	 * Check all keys of a partition, rename keys of the wrong type that can be rebuilt,
	 * and log the findings.
	 */
	public static List<StoreFault> checkKeys(Link link, Partition partition, FaultLog faultLog) {
		return faultLog.read(partition, link.runOnce(Script.SOUND, partition, Arguments.at(Instant.EPOCH).add(1)));
	}

	private <T> PendingReply<T> send(Script script, Arguments arguments, Function<Reply, T> reader) {
		return new PendingReply<>(this.links.commands().send(script, this.partition, arguments), reader);
	}

}
