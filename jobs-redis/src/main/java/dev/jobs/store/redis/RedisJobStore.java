package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.redis.cluster.PartitionedStore;
import dev.jobs.store.redis.layout.Layout;
import dev.jobs.store.redis.layout.Namespace;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.page.RedisJobInspector;
import dev.jobs.store.redis.partition.PartitionStore;
import dev.jobs.store.redis.partition.StoreVerbs;
import dev.jobs.store.redis.wire.FaultLog;
import dev.jobs.store.redis.wire.Links;
import dev.jobs.store.redis.wire.RedisErrors;
import dev.jobs.store.redis.wire.SignalReceiver;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.StoreView;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A store that keeps jobs in Redis 6.2 or later. Each verb is a script that the server
 * runs in one step.
 * <p>
 * It uses the client of the application's connection factory with its own connections:
 * one for beats, which must never wait behind the replies of other verbs, one for reading
 * jobs, one for everything else, one for signals while there are listeners, and one for
 * enqueues that wait for replicas. It may be created, and the application may start,
 * while the server is down: the first call looks up whether the namespace has one
 * partition, as on a single server, or several, as on a cluster.
 */
public final class RedisJobStore implements JobStore, EarlyEnqueue, OutboxTarget, AutoCloseable {

	/** How many ticks a script takes, so that it does not hold up the server. */
	private static final int MOST_TICKS = 200;

	/** Long enough for a busy server, short enough for two beats within a lease. */
	private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(5);

	private final Links links;

	private final Layout layout;

	private final FaultLog faultLog = new FaultLog();

	private final SignalReceiver signals;

	private final RedisJobInspector inspector;

	private volatile @Nullable StoreVerbs verbs;

	/**
	 * Create a store whose enqueues wait for the server alone.
	 * @param factory where connections come from; it must have been initialized when the
	 * store is first used
	 * @param namespace what the names of all keys begin with, in braces; stores of one
	 * namespace share their jobs
	 */
	public RedisJobStore(LettuceConnectionFactory factory, String namespace) {
		this(factory, namespace, RedisDurability.ofServer());
	}

	/**
	 * Create a store.
	 * @param factory where connections come from; it must have been initialized when the
	 * store is first used
	 * @param namespace what the names of all keys begin with, in braces; stores of one
	 * namespace share their jobs
	 * @param durability what enqueues wait for
	 */
	public RedisJobStore(LettuceConnectionFactory factory, String namespace, RedisDurability durability) {
		Namespace name = new Namespace(namespace);
		Duration timeout = timeout(factory);
		this.links = Links.open(factory, timeout,
				(link, partition) -> PartitionStore.checkKeys(link, partition, this.faultLog), durability.replicas(),
				durability.timeout());
		this.layout = new Layout(this.links.commands(), name);
		this.inspector = new RedisJobInspector(this.links.views(), this.layout, this::view, this.faultLog, timeout);
		this.signals = new SignalReceiver(factory, name.channel(), this.inspector::names, timeout);
	}

	private static Duration timeout(LettuceConnectionFactory factory) {
		Duration timeout = factory.getClientConfiguration().getCommandTimeout();
		boolean usable = timeout.compareTo(Duration.ZERO) > 0 && timeout.compareTo(LONGEST_TIMEOUT) < 0;
		return usable ? timeout : LONGEST_TIMEOUT;
	}

	private StoreVerbs verbs() {
		StoreVerbs verbs = this.verbs;
		return (verbs != null) ? verbs : createVerbs(this.layout.partitions());
	}

	private synchronized StoreVerbs createVerbs(Partitions partitions) {
		StoreVerbs verbs = this.verbs;
		if (verbs == null) {
			verbs = (partitions.count() == 1)
					? new PartitionStore(this.links, partitions.all().get(0), 1, this.faultLog)
					: new PartitionedStore(this.links, partitions, this.faultLog);
			this.verbs = verbs;
		}
		return verbs;
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return enqueueOnce(jobs, Duration.ZERO, now);
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now, Consumer<List<Enqueued>> early) {
		return verbs().enqueue(jobs, Duration.ZERO, now, early);
	}

	@Override
	public List<Enqueued> enqueueOnce(List<NewJob> jobs, Duration memory, Instant now) {
		return verbs().enqueue(jobs, memory, now, (enqueued) -> {
		});
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return verbs().claim(request);
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return verbs().takeOver(request);
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return verbs().settle(transitions, now);
	}

	@Override
	public List<Settled> save(List<Save> saves, Instant now) {
		return verbs().save(saves, now);
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return verbs().beat(beat);
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return verbs().change(changes, now);
	}

	@Override
	public Pruned prune(PruneRequest request) {
		return verbs().prune(request);
	}

	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		List<TickReply> replies = new ArrayList<>();
		try {
			for (int from = 0; from < ticks.size(); from += MOST_TICKS) {
				replies.addAll(verbs().fireTicks(ticks.subList(from, Math.min(from + MOST_TICKS, ticks.size())), now));
			}
		}
		catch (JobStoreException ex) {
			throw replies.isEmpty() ? ex : RedisErrors.ofPart(ex);
		}
		return replies;
	}

	@Override
	public Optional<Instant> time() {
		return Optional.of(verbs().time());
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.signals.listen(listener);
	}

	@Override
	public JobInspector inspector() {
		return this.inspector;
	}

	/**
	 * Return the inconsistencies in this namespace that this store has repaired since it
	 * was created.
	 * @return how often each kind was repaired
	 */
	public Map<String, Long> repairs() {
		StoreVerbs verbs = this.verbs;
		return (verbs != null) ? verbs.repairs() : Map.of();
	}

	private StoreView view() {
		return new StoreView("redis", true, this.links.isReplicated()
				? "as the server persists, and on " + this.links.replicas() + " replica(s)" : "as the server persists",
				repairs());
	}

	/**
	 * Close the store's own connections; those of the factory stay open.
	 */
	@Override
	public void close() {
		this.signals.close();
		this.links.close();
	}

}
