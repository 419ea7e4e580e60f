package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A store that keeps jobs in Redis 6.2 or later. Each verb is a script that the server
 * runs in one step.
 * <p>
 * It uses the client of the application's connection factory with connections of its own:
 * one for beats, which must never wait behind the replies of other verbs, one for all
 * else, and one for signals while somebody listens. It may be created, and the
 * application may start, while the server is down.
 */
public final class RedisJobStore implements JobStore, AutoCloseable {

	/** Long enough for a busy server, short enough for two beats within a lease. */
	private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(5);

	private static final int MOST_JOBS = 500;

	private static final int MOST_BYTES = 4 << 20;

	private final Link commands;

	private final Link beats;

	private final SignalReceiver signals;

	private final RedisJobInspector inspector;

	/**
	 * Create a store.
	 * @param factory where connections come from; it must have been initialized when the
	 * store is first used
	 * @param namespace what the names of all keys begin with, in braces; stores of one
	 * namespace share their jobs
	 */
	public RedisJobStore(LettuceConnectionFactory factory, String namespace) {
		Keyspace keyspace = new Keyspace(namespace);
		Duration timeout = timeout(factory);
		this.commands = new Link(factory, keyspace, timeout);
		this.beats = new Link(factory, keyspace, timeout);
		this.inspector = new RedisJobInspector(this.commands, keyspace);
		this.signals = new SignalReceiver(factory, keyspace, this.inspector::names, timeout);
	}

	private static Duration timeout(LettuceConnectionFactory factory) {
		Duration timeout = factory.getClientConfiguration().getCommandTimeout();
		boolean usable = timeout.compareTo(Duration.ZERO) > 0 && timeout.compareTo(LONGEST_TIMEOUT) < 0;
		return usable ? timeout : LONGEST_TIMEOUT;
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		List<Enqueued> enqueued = new ArrayList<>(jobs.size());
		for (int from = 0; from < jobs.size(); from = enqueued.size()) {
			Arguments arguments = Arguments.at(now);
			int bytes = 0;
			for (int i = from; i < jobs.size() && i - from < MOST_JOBS && bytes < MOST_BYTES; i++) {
				add(arguments, jobs.get(i));
				bytes += jobs.get(i).payload().length;
			}
			Reply reply = this.commands.run(Script.ENQUEUE, arguments);
			while (reply.hasMore()) {
				enqueued.add(enqueued(reply));
			}
		}
		return enqueued;
	}

	private static void add(Arguments arguments, NewJob job) {
		NewJob.Key key = job.unique();
		arguments.add(job.id())
			.add(job.name())
			.add(Formats.record(job))
			.add(job.dueAt())
			.add(Math.max(job.maxLength(), 0))
			.add(Formats.key(key))
			.add((key != null) ? key.onDuplicate().name() : "");
	}

	private static Enqueued enqueued(Reply reply) {
		Outcome outcome = Outcome.valueOf(reply.text());
		return new Enqueued(reply.text(), outcome, Millis.instant(reply.text()));
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		if (request.quotas().isEmpty()) {
			return new ClaimReply(List.of(), List.of(), null);
		}
		Arguments arguments = Arguments.at(request.now()).add(request.worker()).add(request.limit());
		for (Quota quota : request.quotas()) {
			arguments.add(quota.queue()).add(quota.share()).add(quota.most()).add(quota.maxRunning());
		}
		Reply reply = this.commands.run(Script.CLAIM, arguments);
		List<Claim> claims = claims(reply, request.worker(), request.now());
		List<Left> left = new ArrayList<>();
		Reply rest = reply.list();
		for (Quota quota : request.quotas()) {
			boolean more = rest.hasMore() && rest.flag();
			String nextDue = rest.hasMore() ? rest.text() : "";
			left.add(new Left(quota.queue(), more, nextDue.isEmpty() ? null : Millis.instant(nextDue)));
		}
		return new ClaimReply(claims, left, null);
	}

	private static List<Claim> claims(Reply reply, String worker, Instant now) {
		List<Claim> claims = new ArrayList<>();
		long token = reply.number();
		Reply rows = reply.list();
		while (rows.hasMore()) {
			StoredJob stored = Formats.job(rows.text(), rows.bytes(), rows.bytes());
			Job.Run run = new Job.Run(worker, token, now, null, rows.flag());
			claims.add(new Claim(stored.in(JobState.RUNNING, run), token));
		}
		return claims;
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		Arguments arguments = Arguments.at(request.now())
			.add(request.worker())
			.add(request.limit())
			.add(request.ownTokens().size());
		request.ownTokens().forEach(arguments::add);
		request.queues().forEach(arguments::add);
		Reply reply = this.commands.run(Script.TAKEOVER, arguments);
		return new ClaimReply(claims(reply, request.worker(), request.now()), List.of(), null);
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		if (transitions.isEmpty()) {
			return List.of();
		}
		Arguments arguments = Arguments.at(now);
		for (Transition transition : transitions) {
			arguments.add(transition.id())
				.add(transition.queue())
				.add(transition.token())
				.add(transition.to().name())
				.add(transition.at())
				.add(Formats.trail(transition));
		}
		Reply reply = this.commands.run(Script.SETTLE, arguments);
		return transitions.stream().map((transition) -> Settled.valueOf(reply.text())).toList();
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		Arguments arguments = Arguments.at(beat.now())
			.add(beat.worker())
			.add(beat.now().plus(beat.lease()))
			.add(beat.leaving() ? 1 : 0)
			.add(Formats.info(beat.info()));
		for (WorkerBeat.Note note : beat.notes()) {
			arguments.add(note.jobId()).add(note.queue()).add(note.token()).add(Formats.progress(note.progress()));
		}
		Reply reply = this.beats.run(Script.BEAT, arguments);
		Set<Long> tokens = new HashSet<>();
		Reply held = reply.list();
		while (held.hasMore()) {
			String name = held.text();
			tokens.add(Long.parseLong(name.substring(0, name.indexOf(':'))));
		}
		Set<String> cancelled = new HashSet<>();
		Reply wishes = reply.list();
		while (wishes.hasMore()) {
			cancelled.add(wishes.text());
		}
		return new BeatReply(tokens, cancelled, null);
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return inParts(changes, (part, arguments) -> {
			part.forEach((change) -> add(arguments, change));
			Reply reply = this.commands.run(Script.CHANGE, arguments);
			return part.stream().map((change) -> Changed.valueOf(reply.text())).toList();
		}, now);
	}

	private static <T, R> List<R> inParts(List<T> all, BiFunction<List<T>, Arguments, List<R>> call, Instant now) {
		List<R> replies = new ArrayList<>(all.size());
		for (int from = 0; from < all.size(); from += MOST_JOBS) {
			List<T> part = all.subList(from, Math.min(from + MOST_JOBS, all.size()));
			replies.addAll(call.apply(part, Arguments.at(now)));
		}
		return replies;
	}

	private static void add(Arguments arguments, Change change) {
		arguments.add(change.getClass().getSimpleName());
		if (change instanceof Change.Cancel cancel) {
			arguments.add(cancel.id()).add("");
		}
		else if (change instanceof Change.Delete delete) {
			arguments.add(delete.id()).add("");
		}
		else if (change instanceof Change.Reschedule reschedule) {
			arguments.add(reschedule.id()).add(reschedule.dueAt());
		}
		else if (change instanceof Change.Retry retry) {
			arguments.add(retry.id()).add("");
		}
		else if (change instanceof Change.Pause pause) {
			arguments.add(pause.queue()).add("");
		}
		else if (change instanceof Change.Resume resume) {
			arguments.add(resume.queue()).add("");
		}
		else if (change instanceof Change.Limit limit) {
			arguments.add(limit.queue()).add(limit.maxRunning());
		}
		else if (change instanceof Change.Forget forget) {
			arguments.add(forget.queue()).add("");
		}
		else {
			arguments.add("").add("");
		}
	}

	@Override
	public Pruned prune(PruneRequest request) {
		Trail.End end = new Trail.End(DeadReason.NO_HANDLER, "No live worker handles this job", request.now());
		Reply reply = this.commands.run(Script.PRUNE,
				Arguments.at(request.now())
					.add(request.deadBefore())
					.add(request.deadKept())
					.add(request.historyBefore())
					.add(request.historyKept())
					.add(request.strandedBefore())
					.add(request.schedulesBefore())
					.add(request.limit())
					.add(Formats.end(end)));
		int dead = (int) reply.number();
		int history = (int) reply.number();
		int stranded = (int) reply.number();
		return new Pruned(dead, history, stranded, reply.flag());
	}

	@Override
	public TickReply fireTick(Tick tick) {
		Arguments arguments = Arguments.at(tick.now())
			.add(tick.schedule())
			.add(tick.definition())
			.add(tick.queue())
			.add(tick.instant());
		if (tick.job() != null) {
			add(arguments, tick.job());
		}
		Reply reply = this.commands.run(Script.FIRETICK, arguments);
		Instant latest = Millis.instant(reply.text());
		return new TickReply(reply.hasMore() ? enqueued(reply) : null, latest);
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
	}

}
