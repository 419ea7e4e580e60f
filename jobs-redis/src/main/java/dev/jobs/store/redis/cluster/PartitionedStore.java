package dev.jobs.store.redis.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.partition.PartitionStore;
import dev.jobs.store.redis.partition.StoreVerbs;
import dev.jobs.store.redis.wire.FaultLog;
import dev.jobs.store.redis.wire.Links;
import dev.jobs.store.redis.wire.PendingReply;
import dev.jobs.store.redis.wire.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * Spreads the verbs over several partitions, each of which may fail on its own. The work
 * within one partition is done by its {@link PartitionStore}.
 */
public final class PartitionedStore implements StoreVerbs {

	private final Links links;

	private final Partitions partitions;

	private final List<PartitionStore> stores;

	private final PartitionHealth health;

	private final PartitionHealth enqueueHealth;

	private final MovedSchedules movedSchedules;

	private final Map<String, PartitionedBeat> beats = new ConcurrentHashMap<>();

	public PartitionedStore(Links links, Partitions partitions, FaultLog faultLog) {
		this.links = links;
		this.partitions = partitions;
		this.stores = partitions.all()
			.stream()
			.map((partition) -> new PartitionStore(links, partition, partitions.count(), faultLog))
			.toList();
		this.health = new PartitionHealth(links.commands(), partitions.all());
		this.enqueueHealth = links.isReplicated() ? new PartitionHealth(links.enqueues(), partitions.all())
				: this.health;
		this.movedSchedules = new MovedSchedules(links.commands(), this.health, partitions.all());
	}

	private <T> ScatterGather<T> scatterGather() {
		return new ScatterGather<>(this.links.commands(), this.health);
	}

	/**
	 * Call one partition, unless it fails and others do not.
	 */
	private <T> @Nullable T callIfHealthy(PartitionStore store, Supplier<PendingReply<T>> call) {
		ScatterGather<T> calls = scatterGather();
		calls.send(store.partition().number(), call);
		return calls.gather().get(store.partition().number());
	}

	private PartitionStore storeOf(String queue) {
		return this.stores.get(this.partitions.of(queue).number());
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Duration memory, Instant now, Consumer<List<Enqueued>> early) {
		return new PartitionedEnqueue(this.links, this.enqueueHealth, this.partitions, jobs, memory, now).run(early);
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return new PartitionedClaim(this::scatterGather, this.partitions, this.stores, request).run();
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		List<Claim> claims = new ArrayList<>();
		Instant serverTime = request.serverTime() ? firstTime() : request.now();
		Map<Integer, List<String>> queues = this.partitions.group(request.queues(), (queue) -> queue);
		for (PartitionStore store : this.stores) {
			int partition = store.partition().number();
			if (isSteady(request, partition)) {
				TakeOver part = new TakeOver(request.worker(), Set.copyOf(queues.getOrDefault(partition, List.of())),
						request.strays(), request.limit() - claims.size(), request.now());
				ClaimReply reply = callIfHealthy(store, () -> store.sendTakeOver(part, serverTime));
				if (reply != null) {
					claims.addAll(reply.claims());
				}
			}
		}
		return new ClaimReply(claims, List.of());
	}

	/**
	 * Return what {@link #time()} does, usually by one call.
	 */
	private Instant firstTime() {
		for (PartitionStore store : this.stores) {
			Instant time = callIfHealthy(store, store::sendTime);
			if (time != null) {
				return time;
			}
		}
		throw JobStoreException.refused("No partition returned its time", null, true);
	}

	private boolean isSteady(TakeOver request, int partition) {
		PartitionedBeat beats = this.beats.get(request.worker());
		return beats == null || beats.isSteady(partition, request.now());
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return inParts(transitions, Transition::queue, (store, some) -> store.sendSettle(some, now));
	}

	@Override
	public List<Settled> save(List<Save> saves, Instant now) {
		return inParts(saves, Save::queue, (store, some) -> store.sendSave(some, now));
	}

	private <T> List<Settled> inParts(List<T> all, Function<T, String> queue,
			BiFunction<PartitionStore, List<T>, PendingReply<List<Settled>>> verb) {
		Map<Integer, List<Integer>> parts = this.partitions.group(IntStream.range(0, all.size()).boxed().toList(),
				(index) -> queue.apply(all.get(index)));
		ScatterGather<List<Settled>> calls = scatterGather();
		parts.forEach((partition, indexes) -> calls.send(partition,
				() -> verb.apply(this.stores.get(partition), indexes.stream().map(all::get).toList())));
		Settled[] settled = new Settled[all.size()];
		Arrays.fill(settled, Settled.UNDECIDED);
		calls.gather().forEach((partition, replies) -> {
			List<Integer> indexes = parts.getOrDefault(partition, List.of());
			for (int i = 0; i < replies.size(); i++) {
				settled[indexes.get(i)] = replies.get(i);
			}
		});
		return Arrays.asList(settled);
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		PartitionedBeat beats = this.beats.computeIfAbsent(beat.worker(),
				(worker) -> new PartitionedBeat(this.links.beats(), this.partitions, this.stores, this.health, worker));
		try {
			return beats.send(beat);
		}
		finally {
			if (beat.leaving()) {
				this.beats.remove(beat.worker());
				this.stores.forEach((store) -> store.forget(beat.worker()));
			}
		}
	}

	/**
	 * Apply changes. Changes of jobs, releases and changes of queues do not overtake each
	 * other.
	 */
	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		Changed[] changed = new Changed[changes.size()];
		Arrays.fill(changed, Changed.NOT_FOUND);
		int from = 0;
		for (int to = 1; to <= changes.size(); to++) {
			if (to == changes.size() || groupOf(changes.get(to)) != groupOf(changes.get(from))) {
				change(changes, from, to, changed, now);
				from = to;
			}
		}
		return Arrays.asList(changed);
	}

	private Class<?> groupOf(Change change) {
		return (change instanceof Change.OfJob) ? Change.OfJob.class
				: isForAll(change) ? Change.Release.class : Change.class;
	}

	/**
	 * Return whether a change is sent to several partitions at once.
	 */
	private boolean isForAll(Change change) {
		return change instanceof Change.Release && this.stores.size() > 1;
	}

	/**
	 * Apply changes that may be sent together. A change of a job goes to the partition
	 * that its id points to, and to all others if the job is not found there.
	 */
	private void change(List<Change> changes, int from, int to, Changed[] changed, Instant now) {
		Map<PartitionStore, List<Integer>> parts = new LinkedHashMap<>();
		for (int i = from; i < to; i++) {
			if (isForAll(changes.get(i))) {
				changed[i] = release(changes.get(i), now);
				continue;
			}
			if (isKeptElsewhere(changes.get(i))) {
				changed[i] = Changed.REFUSED;
				continue;
			}
			for (PartitionStore store : storesFor(changes.get(i))) {
				parts.computeIfAbsent(store, (key) -> new ArrayList<>()).add(i);
			}
		}
		parts.forEach((store, indexes) -> change(store, changes, indexes, changed, now));
		for (int i = from; i < to; i++) {
			if (changed[i] == Changed.DONE && changes.get(i) instanceof Change.DropSchedule drop) {
				// Its pause is kept in every partition.
				change(List.of(new Change.ResumeSchedule(drop.schedule(), Duration.ZERO)), now);
			}
		}
		List<Integer> missing = IntStream.range(from, to)
			.filter((i) -> changed[i] == Changed.NOT_FOUND && changes.get(i) instanceof Change.OfJob)
			.boxed()
			.toList();
		if (!missing.isEmpty()) {
			this.stores.forEach((store) -> change(store, changes, missing, changed, now));
		}
	}

	/**
	 * Release jobs in all partitions, and fail afterwards if one did not reply.
	 */
	private Changed release(Change release, Instant now) {
		ScatterGather<List<Changed>> calls = scatterGather();
		this.stores
			.forEach((store) -> calls.send(store.partition().number(), () -> store.sendChange(List.of(release), now)));
		Map<Integer, List<Changed>> replies = calls.gather();
		if (replies.size() < this.stores.size()) {
			throw new JobStoreException("A part of Redis did not reply, so jobs in it may still wait", null, true);
		}
		return replies.values().stream().anyMatch((reply) -> reply.contains(Changed.DONE)) ? Changed.DONE
				: Changed.NOT_FOUND;
	}

	/**
	 * Return whether a schedule to be put is known with a queue of another partition.
	 */
	private boolean isKeptElsewhere(Change change) {
		return change instanceof Change.PutSchedule put
				&& this.movedSchedules.isElsewhere(put.schedule().name(), this.partitions.of(put.schedule().queue()));
	}

	private List<PartitionStore> storesFor(Change change) {
		if (change instanceof Change.PutSchedule put) {
			return List.of(storeOf(put.schedule().queue()));
		}
		if (change instanceof Change.OfJob ofJob) {
			return List.of(this.stores.get(this.partitions.likelyOf(ofJob.id()).number()));
		}
		if (change instanceof Change.KeepNote || change instanceof Change.Set || change instanceof Change.Swap) {
			return this.stores.subList(0, 1);
		}
		if (change instanceof Change.KeepEnd keep) {
			return List.of(this.stores.get(this.partitions.likelyOf(keep.thing()).number()));
		}
		return (change instanceof Change.OfQueue ofQueue) ? List.of(storeOf(ofQueue.queue())) : this.stores;
	}

	private void change(PartitionStore store, List<Change> changes, List<Integer> indexes, Changed[] changed,
			Instant now) {
		List<Changed> replies = this.health.call(store.partition().number(),
				() -> store.change(indexes.stream().map(changes::get).toList(), now));
		for (int i = 0; i < replies.size(); i++) {
			if (replies.get(i) != Changed.NOT_FOUND) {
				changed[indexes.get(i)] = replies.get(i);
			}
		}
	}

	@Override
	public Pruned prune(PruneRequest request) {
		Pruned all = new Pruned(0, 0, 0, false);
		List<Pruned.Expired> expired = new ArrayList<>();
		for (PartitionStore store : this.stores) {
			int removed = all.dead() + all.history() + all.stranded() + expired.size();
			Pruned pruned = callIfHealthy(store,
					() -> store.sendPrune(request, Math.max(request.limit() - removed, 0)));
			if (pruned != null) {
				all = new Pruned(all.dead() + pruned.dead(), all.history() + pruned.history(),
						all.stranded() + pruned.stranded(), all.more() || pruned.more(), expired);
				expired.addAll(pruned.expired());
				store.forgetSchedules(request, (call) -> callIfHealthy(store, call));
			}
		}
		repair(request.now());
		return all;
	}

	private void repair(Instant now) {
		SharedKeys keys = new SharedKeys(this.links.commands(), this.health, this.partitions.all(), now);
		this.stores.stream()
			.filter((store) -> store.repair(now))
			.forEach((store) -> keys.forgetUnowned(store.partition().number()));
	}

	@Override
	public Map<String, Long> repairs() {
		Map<String, Long> repairs = new LinkedHashMap<>();
		this.stores.forEach((store) -> store.repairs().forEach((what, many) -> repairs.merge(what, many, Long::sum)));
		return repairs;
	}

	/**
	 * Fire ticks. A fault may come after some of them were fired in another partition.
	 */
	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		try {
			return fire(ticks, now);
		}
		catch (JobStoreException ex) {
			throw (ticks.size() > 1) ? RedisErrors.ofPart(ex) : ex;
		}
	}

	private List<TickReply> fire(List<Tick> ticks, Instant now) {
		TickReply[] replies = new TickReply[ticks.size()];
		Arrays.fill(replies, TickReply.UNDECIDED);
		List<Integer> plain = IntStream.range(0, replies.length)
			.filter((i) -> !SharedKeys.isShared(ticks.get(i).job()))
			.boxed()
			.toList();
		Map<Integer, List<Integer>> parts = this.partitions.group(plain, (i) -> ticks.get(i).schedule().queue());
		ScatterGather<List<TickReply>> calls = scatterGather();
		parts.forEach((partition, indexes) -> calls.send(partition, () -> {
			List<Tick> some = indexes.stream().map(ticks::get).toList();
			PartitionStore store = this.stores.get(partition);
			this.movedSchedules.copy(declared(some.stream()), store.partition());
			return store.sendTicks(some, null, now);
		}));
		calls.gather().forEach((partition, some) -> {
			List<Integer> indexes = parts.getOrDefault(partition, List.of());
			IntStream.range(0, some.size()).forEach((i) -> replies[indexes.get(i)] = some.get(i));
			this.movedSchedules.forget(declared(indexes.stream().map(ticks::get).filter((tick) -> tick.job() == null)),
					this.stores.get(partition).partition());
		});
		for (int i = 0; i < replies.length; i++) {
			NewJob job = ticks.get(i).job();
			if (job != null && SharedKeys.isShared(job)) {
				replies[i] = fireShared(ticks.get(i), job, now);
			}
		}
		return Arrays.asList(replies);
	}

	/** A schedule that was put keeps its queue. */
	private static List<Tick> declared(Stream<Tick> ticks) {
		return ticks.filter((tick) -> tick.schedule().version() == null).toList();
	}

	/**
	 * Fire a tick whose job has a key across queues.
	 */
	private TickReply fireShared(Tick tick, NewJob job, Instant now) {
		PartitionStore store = storeOf(tick.schedule().queue());
		int partition = store.partition().number();
		Function<@Nullable Enqueued, TickReply> fire = (
				owner) -> this.health.call(partition, () -> store.sendTicks(List.of(tick), owner, now).get()).get(0);
		try {
			this.movedSchedules.copy(declared(Stream.of(tick)), store.partition());
			return new SharedKeys(this.links.commands(), this.health, this.partitions.all(), now).take(job, partition,
					() -> fire.apply(null), fire::apply);
		}
		catch (JobStoreException ex) {
			if (!ex.isTemporary() || this.health.isAllFailing()) {
				throw ex;
			}
			return TickReply.UNDECIDED;
		}
	}

	/**
	 * Return the time of the first partition's server or, while it does not answer, of
	 * the next.
	 */
	@Override
	public Instant time() {
		ScatterGather<Instant> calls = scatterGather();
		this.stores.forEach((store) -> calls.send(store.partition().number(), store::sendTime));
		return calls.gather()
			.values()
			.stream()
			.findFirst()
			.orElseThrow(() -> JobStoreException.refused("No partition returned its time", null, true));
	}

}
