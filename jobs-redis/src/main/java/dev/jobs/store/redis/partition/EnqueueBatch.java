package dev.jobs.store.redis.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.store.NewJob;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.redis.wire.Script;
import dev.jobs.store.support.Standing;
import dev.jobs.store.support.StoredCode;
import org.jspecify.annotations.Nullable;

/**
 * New jobs of a partition that one call stores. A batch of small, due jobs without rules
 * goes to a shorter script. If that finds a job already stored, it writes nothing, and
 * the batch goes to the full script. Jobs to be remembered have their own script.
 */
public class EnqueueBatch {

	private static final int MOST_JOBS = 500;

	private static final int MOST_BYTES = 4 << 20;

	/** A payload of this many bytes may get a preview, which the full script writes. */
	private static final int LARGE = 16 << 10;

	private final Link link;

	private final Partition partition;

	private final Duration memory;

	private final Instant now;

	private final List<NewJob> jobs = new ArrayList<>();

	private final List<Integer> indexes = new ArrayList<>();

	private final Set<String> ids = new HashSet<>();

	private int bytes;

	private boolean plain = true;

	private Link.@Nullable Call call;

	public EnqueueBatch(Link link, Partition partition, Duration memory, Instant now) {
		this.link = link;
		this.partition = partition;
		this.memory = memory;
		this.now = now;
	}

	public boolean isFull() {
		return this.jobs.size() >= MOST_JOBS || this.bytes >= MOST_BYTES;
	}

	public Partition partition() {
		return this.partition;
	}

	/**
	 * Add a job.
	 * @param job the job
	 * @param index its index among all enqueued jobs
	 */
	public void add(NewJob job, int index) {
		this.jobs.add(job);
		this.indexes.add(index);
		this.bytes += job.payload().length;
		this.plain &= isPlain(job) && this.ids.add(job.id());
	}

	private boolean isPlain(NewJob job) {
		return job.uniqueKey() == null && !job.isBounded() && !job.dueAt().isAfter(this.now) && this.memory.isZero()
				&& !job.headers().containsKey(Job.TAGS_HEADER) && Standing.of(job.headers()).lane() == null
				&& job.firstExpiry() == null && job.throttle() == null && job.payload().length < LARGE;
	}

	public void send() {
		this.call = this.plain ? this.link.send(Script.ENQUEUE, this.partition, plainArguments()) : sendWithRules();
	}

	/**
	 * Pass the outcome on as soon as the reply comes, if it stored all jobs.
	 */
	public void onStored(Consumer<List<Enqueued>> early) {
		Link.Call sent = this.call;
		if (this.plain && sent != null) {
			sent.onReply((reply) -> {
				if (reply.flag()) {
					early.accept(allNew());
				}
			});
		}
	}

	/**
	 * Wait for the reply.
	 * @param enqueued gets the outcome of each job at its index
	 */
	public void finish(Enqueued[] enqueued) {
		List<Enqueued> outcomes = outcomes();
		for (int i = 0; i < outcomes.size(); i++) {
			enqueued[this.indexes.get(i)] = outcomes.get(i);
		}
	}

	protected List<Enqueued> outcomes() {
		Link.Call sent = this.call;
		if (sent == null) {
			throw new IllegalStateException("The batch was not sent");
		}
		Reply reply = sent.reply();
		if (this.plain && reply.flag()) {
			return allNew();
		}
		Reply outcomes = this.plain ? sendWithRules().reply() : reply;
		return this.jobs.stream().map((job) -> read(outcomes)).toList();
	}

	private List<Enqueued> allNew() {
		return this.jobs.stream().map((job) -> Enqueued.of(job.id(), Outcome.NEW, job.dueAt())).toList();
	}

	/**
	 * Write the jobs queue by queue.
	 */
	private Arguments plainArguments() {
		Map<String, List<NewJob>> queues = new LinkedHashMap<>();
		this.jobs.forEach((job) -> queues.computeIfAbsent(job.name(), (name) -> new ArrayList<>()).add(job));
		Arguments arguments = Arguments.at(this.now).add(this.jobs.size());
		queues.values().forEach((jobs) -> jobs.forEach((job) -> arguments.add(job.id()).add(Formats.record(job))));
		queues.forEach((name, jobs) -> arguments.add(name).add(jobs.size()));
		return arguments;
	}

	private Link.Call sendWithRules() {
		Arguments arguments = Arguments.at(this.now);
		if (!this.memory.isZero()) {
			arguments.add(this.memory.toMillis());
		}
		this.jobs.forEach((job) -> write(job, arguments));
		return this.link.send(this.memory.isZero() ? Script.ADMIT : Script.REMEMBER, this.partition, arguments);
	}

	/**
	 * Write a job for the scripts that apply rules.
	 */
	static void write(NewJob job, Arguments arguments) {
		NewJob.UniqueKey key = job.uniqueKey();
		arguments.add(job.id())
			.add(job.name())
			.add(Formats.record(job))
			.add(job.dueAt())
			.add(bounds(job))
			.add(((key != null) ? StoredCode.ON_DUPLICATE.of(key.onDuplicate()) : "") + throttle(job.throttle()));
	}

	private static String throttle(NewJob.@Nullable Throttle throttle) {
		return (throttle != null) ? " " + throttle.until().toEpochMilli() + ";" + throttle.key() : "";
	}

	/**
	 * Read the outcome of such a job.
	 */
	static Enqueued read(Reply reply) {
		Outcome outcome = StoredCode.OUTCOME.read(reply.text());
		return Enqueued.of(reply.text(), outcome, reply.instant());
	}

	/**
	 * Return how many jobs may wait in the queue of a job, then how many in its lane if
	 * that is bounded.
	 */
	private static String bounds(NewJob job) {
		String queue = Integer.toString(Math.max(job.maxWaiting(), 0));
		return (job.maxInLane() > 0 && job.lane() != null) ? queue + "," + job.maxInLane() : queue;
	}

}
