package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.Trail;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.StoreView;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tally;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A store that keeps jobs in Redis 6.2 or later. Each verb is a script that the server
 * runs in one step.
 * <p>
 * It uses the client of the application's connection factory with connections of its own:
 * one for beats, which must never wait behind the replies of other verbs, one for all
 * else, one for signals while somebody listens, and one for enqueues that wait for
 * replicas. It may be created, and the application may start, while the server is down.
 */
public final class RedisJobStore implements JobStore, EarlyEnqueue, OutboxTarget, AutoCloseable {

	/** Long enough for a busy server, short enough for two beats within a lease. */
	private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(5);

	private final Link commands;

	private final Link beats;

	private final Link enqueues;

	private final Partitions partitions;

	private final Health health;

	private final Health enqueueHealth;

	private final Map<String, Beating> beatings = new ConcurrentHashMap<>();

	private final SignalReceiver signals;

	private final RedisJobInspector inspector;

	private final Repair repair;

	private final RedisDurability durability;

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
		this.durability = durability;
		Keyspace keyspace = new Keyspace(namespace);
		Duration timeout = timeout(factory);
		KeyFaults keyFaults = new KeyFaults();
		this.commands = new Link(factory, timeout, keyFaults);
		this.beats = new Link(factory, timeout, keyFaults);
		this.partitions = new Partitions(this.commands, keyspace);
		this.health = new Health(this.commands, this.partitions);
		boolean waiting = durability.isReplicated();
		this.enqueues = waiting ? new Link(factory, timeout, keyFaults) : this.commands;
		this.enqueueHealth = waiting ? new Health(this.enqueues, this.partitions) : this.health;
		this.inspector = new RedisJobInspector(this.commands, this.partitions, this::view, keyFaults);
		this.repair = new Repair(this.commands, this.partitions, this.health, keyFaults);
		this.signals = new SignalReceiver(factory, keyspace, this.inspector::names, timeout);
	}

	private static Duration timeout(LettuceConnectionFactory factory) {
		Duration timeout = factory.getClientConfiguration().getCommandTimeout();
		boolean usable = timeout.compareTo(Duration.ZERO) > 0 && timeout.compareTo(LONGEST_TIMEOUT) < 0;
		return usable ? timeout : LONGEST_TIMEOUT;
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return enqueue(jobs, now, (enqueued) -> {
		});
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now, Consumer<List<Enqueued>> early) {
		return enqueuing(jobs, Duration.ZERO, now).run(early);
	}

	@Override
	public List<Enqueued> enqueueOnce(List<NewJob> jobs, Duration memory, Instant now) {
		return enqueuing(jobs, memory, now).run((enqueued) -> {
		});
	}

	private Enqueuing enqueuing(List<NewJob> jobs, Duration memory, Instant now) {
		return new Enqueuing(this.enqueues, this.enqueueHealth, this.partitions, this.durability, jobs, memory, now);
	}

	/**
	 * Return what was found not to fit together in this namespace and was mended by this
	 * store since it was created.
	 * @return how often each thing was
	 */
	public Map<String, Long> repairs() {
		return this.repair.mended();
	}

	private StoreView view() {
		return new StoreView("redis", true,
				this.durability.isReplicated()
						? "as the server persists, and on " + this.durability.replicas() + " replica(s)"
						: "as the server persists",
				repairs());
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return noted(request.worker(), new Claiming(this::round, this.partitions, this.repair, request).run());
	}

	private Round round() {
		return new Round(this.commands, this.partitions, this.health);
	}

	/**
	 * Run a script in one partition, unless that fails and others do not.
	 */
	private Optional<Reply> ask(int partition, Script script, Arguments arguments) {
		Round round = round();
		round.send(partition, script, arguments);
		return Optional.ofNullable(round.replies().get(partition));
	}

	private ClaimReply noted(String worker, ClaimReply reply) {
		Beating beating = this.beatings.get(worker);
		if (beating != null) {
			reply.claims()
				.forEach((claim) -> beating.claimed(this.partitions.of(claim.job().name()), claim.token(),
						claim.job().name()));
		}
		return reply;
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		List<Claim> claims = new ArrayList<>();
		Map<Integer, List<String>> queues = this.partitions.split(request.queues(), (queue) -> queue);
		for (int partition : this.partitions.all()) {
			if (!isSteady(request, partition)) {
				continue;
			}
			Arguments arguments = Arguments.at(request.now())
				.add(this.partitions.count())
				.add(request.worker())
				.add(request.limit() - claims.size())
				.add(request.now().plus(WorkerBeat.LONGEST_LEASE))
				.add(request.ownTokens().size());
			request.ownTokens().forEach(arguments::add);
			queues.getOrDefault(partition, List.of()).forEach(arguments::add);
			ask(partition, Script.TAKEOVER, arguments).ifPresent((reply) -> {
				claims.addAll(Claiming.claims(reply, request.worker(), request.now()));
				this.repair.cutLeases(reply.list());
			});
		}
		return noted(request.worker(), new ClaimReply(claims, List.of(), null));
	}

	/**
	 * Tell whether the silence of others in a partition is their own. Where there is one
	 * partition only, the engine knows.
	 */
	private boolean isSteady(TakeOver request, int partition) {
		Beating beating = this.beatings.get(request.worker());
		return beating == null || this.partitions.count() == 1 || beating.isSteady(partition, request.now());
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return new Settling(round(), this.partitions, transitions, now).run();
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		Beating beating = this.beatings.computeIfAbsent(beat.worker(),
				(worker) -> new Beating(this.beats, this.partitions, this.health));
		try {
			return beating.beat(beat);
		}
		finally {
			if (beat.leaving()) {
				this.beatings.remove(beat.worker());
			}
		}
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return new Changing(this.commands, this.partitions, changes, now).run();
	}

	@Override
	public Pruned prune(PruneRequest request) {
		Trail.End end = Trail.End.of(DeadReason.NO_HANDLER, "No live worker handles this job", request.now());
		Pruned all = new Pruned(0, 0, 0, false);
		for (int partition : this.partitions.all()) {
			int removed = all.dead() + all.history() + all.stranded();
			Arguments arguments = Arguments.at(request.now())
				.add(request.deadBefore())
				.add(request.deadKept())
				.add(request.historyBefore())
				.add(request.historyKept())
				.add(request.strandedBefore())
				.add(request.schedulesBefore())
				.add(Math.max(request.limit() - removed, 0))
				.add(Formats.end(end));
			for (Tally.Span span : Tally.Span.values()) {
				arguments.add(span.length().toMinutes()).add(span.keptSince(request.now()));
			}
			Optional<Reply> answer = ask(partition, Script.PRUNE, arguments);
			if (answer.isPresent()) {
				Reply reply = answer.get();
				int dead = all.dead() + (int) reply.number();
				int history = all.history() + (int) reply.number();
				int stranded = all.stranded() + (int) reply.number();
				all = new Pruned(dead, history, stranded, all.more() || reply.flag());
			}
		}
		this.repair.sweep(request.now());
		return all;
	}

	@Override
	public TickReply fireTick(Tick tick) {
		NewJob job = tick.job();
		int partition = this.partitions.of(tick.queue());
		if (job == null || !this.partitions.shareKeyOf(job)) {
			return fireTick(tick, partition, null);
		}
		return new SharedKeys(this.health, this.partitions, tick.now()).take(job, partition,
				() -> fireTick(tick, partition, null), (owner) -> fireTick(tick, partition, owner));
	}

	private TickReply fireTick(Tick tick, int partition, SharedKeys.@Nullable Owner owner) {
		Arguments arguments = Arguments.at(tick.now())
			.add(tick.schedule())
			.add(tick.definition())
			.add(tick.queue())
			.add(tick.instant())
			.add(elsewhere(tick));
		if (tick.job() != null) {
			arguments.add((owner != null) ? owner.id() : "").add((owner != null) ? owner.dueAt() : null);
			Enqueuing.write(tick.job(), arguments);
		}
		Reply reply = this.health.run(partition, Script.FIRETICK, arguments);
		if (tick.job() == null) {
			forgetElsewhere(tick);
		}
		Instant latest = Millis.instant(reply.text());
		return new TickReply(reply.hasMore() ? Enqueuing.read(reply) : null, latest);
	}

	/**
	 * Return what another partition knows of a schedule that had another queue before. A
	 * partition that fails is not asked: nobody can fire the schedule there either.
	 */
	private byte[] elsewhere(Tick tick) {
		byte[] schedule = tick.schedule().getBytes(StandardCharsets.UTF_8);
		byte[] latest = Formats.NOTHING;
		for (int partition : others(tick)) {
			byte[] known = ofSchedules(partition, (server, key) -> server.hget(key, schedule));
			if (known != null && (latest.length == 0 || Formats.tick(known).isAfter(Formats.tick(latest)))) {
				latest = known;
			}
		}
		return latest;
	}

	private void forgetElsewhere(Tick tick) {
		byte[] schedule = tick.schedule().getBytes(StandardCharsets.UTF_8);
		for (int partition : others(tick)) {
			ofSchedules(partition, (server, key) -> server.hdel(key, schedule));
		}
	}

	private <T> @Nullable T ofSchedules(int partition,
			BiFunction<RedisClusterAsyncCommands<byte[], byte[]>, byte[], RedisFuture<T>> command) {
		try {
			return this.commands.get(this.partitions.key(partition, "schedules"), command);
		}
		catch (JobStoreException ex) {
			this.health.failed(partition, ex);
			return null;
		}
	}

	private List<Integer> others(Tick tick) {
		int own = this.partitions.of(tick.queue());
		return this.partitions.all()
			.stream()
			.filter((partition) -> partition != own && !this.health.isLeftAlone(partition))
			.toList();
	}

	/**
	 * Return the time of the server of the first partition, or while that does not
	 * answer, of the next.
	 */
	@Override
	public Instant time() {
		Round round = round();
		this.partitions.all().forEach((partition) -> round.send(partition, Script.TIME, Arguments.at(Instant.EPOCH)));
		return round.replies()
			.values()
			.stream()
			.findFirst()
			.map(Reply::time)
			.orElseThrow(() -> JobStoreException.refused("No part of Redis has told its time", null, true));
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
	 * Close the store's own connections; those of the factory stay open.
	 */
	@Override
	public void close() {
		this.signals.close();
		this.commands.close();
		this.beats.close();
		this.enqueues.close();
	}

}
