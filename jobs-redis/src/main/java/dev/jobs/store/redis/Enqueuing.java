package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.jobs.Enqueued.Outcome;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobStoreException;
import dev.jobs.store.ErrorText;
import dev.jobs.store.NewJob;
import dev.jobs.store.ReplicatedEnqueued;
import dev.jobs.store.StoredCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One enqueue of any number of jobs. They go out in parts, the next while the last one is
 * under way. A part of plain jobs, which are due and have no rules, takes a short way; it
 * is also gone by the first try of a job that was stored before, which the long way then
 * finds. Jobs to be remembered have a way of their own. Nothing is sent if one of the
 * partitions is to be left alone.
 */
final class Enqueuing {

	private static final Logger logger = LoggerFactory.getLogger(Enqueuing.class);

	private static final int MOST_JOBS = 500;

	private static final int MOST_BYTES = 4 << 20;

	private final Link link;

	private final Health health;

	private final Partitions partitions;

	private final List<NewJob> jobs;

	/** How long the jobs are remembered; zero to forget them with the jobs. */
	private final Duration memory;

	private final Instant now;

	private final RedisDurability durability;

	private final Enqueued[] enqueued;

	Enqueuing(Link link, Health health, Partitions partitions, RedisDurability durability, List<NewJob> jobs,
			Duration memory, Instant now) {
		this.link = link;
		this.health = health;
		this.partitions = partitions;
		this.jobs = jobs;
		this.memory = memory;
		this.now = now;
		this.durability = durability;
		this.enqueued = new Enqueued[jobs.size()];
	}

	/**
	 * Enqueue, and wait for the outcome.
	 * @param early is told it once it is there, if the jobs are plain and go out together
	 */
	List<Enqueued> run(Consumer<List<Enqueued>> early) {
		List<Part> parts = parts();
		Connection connection = this.durability.isReplicated() ? this.link.connection() : null;
		parts.forEach((part) -> this.health.requireNotLeftAlone(part.partition));
		Part under = null;
		try {
			for (Part part : parts) {
				part.send();
				if (part.plain && parts.size() == 1 && connection == null) {
					part.call.whenThere((reply) -> part.tell(reply, early));
				}
				if (under != null) {
					under.finish();
				}
				under = part;
			}
			if (under != null) {
				under.finish();
			}
		}
		catch (JobStoreException ex) {
			throw (under == null || parts.size() == 1) ? ex : Faults.ofPart(ex);
		}
		List<Enqueued> enqueued = Arrays.asList(this.enqueued);
		if (connection != null) {
			int replicas = replicas(parts, connection);
			enqueued.replaceAll((each) -> ReplicatedEnqueued.of(each, replicas));
		}
		return enqueued;
	}

	/**
	 * Wait for replicas, and return how many have all of the jobs. Only the connection
	 * that the jobs went through can tell.
	 */
	private int replicas(List<Part> parts, Connection connection) {
		int least = Integer.MAX_VALUE;
		for (int partition : parts.stream().map((part) -> part.partition).distinct().toList()) {
			byte[] key = this.partitions.key(partition, "jobs");
			try {
				least = Math.min(least, this.link.replicasOf(key, this.durability));
			}
			catch (JobStoreException ex) {
				logger.debug("It is unknown how many replicas have a job", ErrorText.loggable(ex));
				return 0;
			}
		}
		return this.link.isCurrent(connection) ? least : 0;
	}

	/**
	 * Share the jobs out. One whose key other partitions must be asked for is alone.
	 */
	private List<Part> parts() {
		List<Part> parts = new ArrayList<>();
		Map<Integer, Part> open = new LinkedHashMap<>();
		for (int i = 0; i < this.jobs.size(); i++) {
			boolean alone = this.partitions.shareKeyOf(this.jobs.get(i));
			int partition = this.partitions.of(this.jobs.get(i).name());
			Part part = open.get(partition);
			if (part == null || alone || part.isFull()) {
				part = new Part(partition);
				open.put(partition, part);
				parts.add(part);
			}
			part.add(i);
		}
		return parts;
	}

	/**
	 * Jobs of one partition that are sent together.
	 */
	private final class Part {

		private final int partition;

		private final List<Integer> places = new ArrayList<>();

		private final Set<String> ids = new HashSet<>();

		private int bytes;

		private boolean plain = true;

		private Health.Call call = () -> new Reply(List.of());

		Part(int partition) {
			this.partition = partition;
		}

		boolean isFull() {
			return this.places.size() >= MOST_JOBS || this.bytes >= MOST_BYTES || isAlone();
		}

		private boolean isAlone() {
			return Enqueuing.this.partitions.shareKeyOf(Enqueuing.this.jobs.get(this.places.get(0)));
		}

		void add(int place) {
			NewJob job = Enqueuing.this.jobs.get(place);
			this.places.add(place);
			this.bytes += job.payload().length;
			this.plain &= isPlain(job) && this.ids.add(job.id());
		}

		private boolean isPlain(NewJob job) {
			return job.unique() == null && job.maxWaiting() <= 0 && !job.dueAt().isAfter(Enqueuing.this.now)
					&& Enqueuing.this.memory.isZero() && !job.headers().containsKey(Job.TAGS_HEADER);
		}

		void send() {
			if (isAlone()) {
				storeAlone();
			}
			else {
				this.call = this.plain ? send(Script.ENQUEUE, plain()) : sendRuled();
			}
		}

		private void storeAlone() {
			NewJob job = Enqueuing.this.jobs.get(this.places.get(0));
			if (isRemembered(job)) {
				this.call = () -> new Reply(
						List.of(StoredCode.OUTCOME.of(Outcome.NEW), job.id(), Millis.of(job.dueAt())));
				return;
			}
			Supplier<Reply> storing = () -> sendRuled().get();
			Reply reply = new SharedKeys(Enqueuing.this.health, Enqueuing.this.partitions, Enqueuing.this.now).take(job,
					this.partition, storing, (owner) -> isStored(job) ? storing.get() : duplicate(owner));
			this.call = () -> reply;
		}

		private boolean isStored(NewJob job) {
			byte[] jobs = Enqueuing.this.partitions.key(this.partition, "jobs");
			byte[] id = job.id().getBytes(StandardCharsets.UTF_8);
			return Enqueuing.this.link.get(jobs, (server, key) -> server.hexists(key, id));
		}

		private boolean isRemembered(NewJob job) {
			byte[] remembered = Enqueuing.this.partitions.key(this.partition, "remembered");
			byte[] id = job.id().getBytes(StandardCharsets.UTF_8);
			Double end = Enqueuing.this.memory.isZero() ? null
					: Enqueuing.this.link.get(remembered, (server, key) -> server.zscore(key, id));
			return end != null && end > Enqueuing.this.now.toEpochMilli();
		}

		private static Reply duplicate(SharedKeys.Owner owner) {
			return new Reply(List.of(StoredCode.OUTCOME.of(Outcome.DUPLICATE), owner.id(), Millis.of(owner.dueAt())));
		}

		private Health.Call send(Script script, Arguments arguments) {
			return Enqueuing.this.health.send(this.partition, script, arguments);
		}

		void finish() {
			Reply reply = this.call.get();
			if (this.plain && reply.flag()) {
				stored();
				return;
			}
			Reply outcomes = this.plain ? sendRuled().get() : reply;
			for (int place : this.places) {
				Enqueuing.this.enqueued[place] = read(outcomes);
			}
		}

		private void stored() {
			for (int place : this.places) {
				NewJob job = Enqueuing.this.jobs.get(place);
				Enqueuing.this.enqueued[place] = Enqueued.of(job.id(), Outcome.NEW, job.dueAt());
			}
		}

		private void tell(Reply reply, Consumer<List<Enqueued>> early) {
			if (reply.flag()) {
				early.accept(Enqueuing.this.jobs.stream()
					.map((job) -> Enqueued.of(job.id(), Outcome.NEW, job.dueAt()))
					.toList());
			}
		}

		/**
		 * Write the jobs queue by queue.
		 */
		private Arguments plain() {
			Map<String, List<NewJob>> queues = new LinkedHashMap<>();
			for (int place : this.places) {
				NewJob job = Enqueuing.this.jobs.get(place);
				queues.computeIfAbsent(job.name(), (name) -> new ArrayList<>()).add(job);
			}
			Arguments arguments = Arguments.at(Enqueuing.this.now).add(this.places.size());
			queues.values().forEach((jobs) -> jobs.forEach((job) -> arguments.add(job.id()).add(Formats.record(job))));
			queues.forEach((name, jobs) -> arguments.add(name).add(jobs.size()));
			return arguments;
		}

		private Health.Call sendRuled() {
			Arguments arguments = Arguments.at(Enqueuing.this.now);
			if (!Enqueuing.this.memory.isZero()) {
				arguments.add(Enqueuing.this.memory.toMillis());
			}
			this.places.forEach((place) -> write(Enqueuing.this.jobs.get(place), arguments));
			return send(Enqueuing.this.memory.isZero() ? Script.ADMIT : Script.REMEMBER, arguments);
		}

	}

	/**
	 * Add a job as the scripts expect it that know of rules.
	 */
	static void write(NewJob job, Arguments arguments) {
		NewJob.Key key = job.unique();
		arguments.add(job.id())
			.add(job.name())
			.add(Formats.record(job))
			.add(job.dueAt())
			.add(Math.max(job.maxWaiting(), 0))
			.add((key != null) ? StoredCode.ON_DUPLICATE.of(key.onDuplicate()) : "");
	}

	/**
	 * Read what became of such a job.
	 */
	static Enqueued read(Reply reply) {
		Outcome outcome = StoredCode.OUTCOME.read(reply.text());
		return Enqueued.of(reply.text(), outcome, Millis.instant(reply.text()));
	}

}
