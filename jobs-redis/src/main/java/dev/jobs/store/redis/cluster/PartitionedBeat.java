package dev.jobs.store.redis.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.JobStoreException;
import dev.jobs.store.BeatReply;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.partition.PartitionStore;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.PendingReply;
import dev.jobs.store.view.Tally;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The beats of one worker, each of which goes to all partitions. The next beat does not
 * wait for a partition that did not answer the last one, unless none did. In such a
 * partition the worker holds the jobs that this process knows until its lease has run
 * out. The time is that of the first partition's server, so that all workers use the
 * same.
 */
final class PartitionedBeat {

	private static final Logger logger = LoggerFactory.getLogger(PartitionedBeat.class);

	private final Link link;

	private final Partitions partitions;

	private final PartitionHealth health;

	private final String worker;

	private final List<Part> parts;

	PartitionedBeat(Link link, Partitions partitions, List<PartitionStore> stores, PartitionHealth health,
			String worker) {
		this.link = link;
		this.partitions = partitions;
		this.health = health;
		this.worker = worker;
		this.parts = stores.stream().map(Part::new).toList();
	}

	BeatReply send(WorkerBeat beat) {
		Map<Integer, List<WorkerBeat.Note>> notes = this.partitions.group(beat.notes(), WorkerBeat.Note::queue);
		Map<Integer, List<Tally>> tallies = this.partitions.group(beat.report().tallies(), Tally::queue);
		Set<String> cancelled = new HashSet<>();
		this.parts.forEach((part) -> part.readLate(cancelled));
		boolean allSilent = this.parts.stream().allMatch((part) -> part.silent);
		List<Part> awaited = new ArrayList<>();
		List<Link.Call> calls = new ArrayList<>();
		JobStoreException fault = null;
		for (Part part : this.parts) {
			int number = part.number();
			try {
				Link.Call call = part.send(
						new WorkerBeat(beat.worker(), beat.lease(), beat.info(), notes.getOrDefault(number, List.of()),
								new WorkerBeat.Report(beat.report().number(), tallies.getOrDefault(number, List.of())),
								beat.leaving(), beat.now()));
				if (allSilent || !part.silent) {
					awaited.add(part);
					calls.add(call);
				}
			}
			catch (JobStoreException ex) {
				fault = part.failed(ex);
			}
		}
		this.link.await(calls);
		boolean answered = false;
		Instant serverTime = null;
		Instant firstTick = null;
		for (Part part : awaited) {
			try {
				BeatReply reply = part.read(cancelled);
				answered = true;
				serverTime = (part == this.parts.get(0)) ? reply.serverTime() : serverTime;
				Instant tick = reply.firstTick();
				firstTick = (firstTick == null || (tick != null && tick.isBefore(firstTick))) ? tick : firstTick;
			}
			catch (JobStoreException ex) {
				fault = part.failed(ex);
			}
		}
		if (!answered && fault != null) {
			throw fault;
		}
		Map<Long, Integer> held = new HashMap<>();
		this.parts.forEach((part) -> held.putAll(part.held(beat.now())));
		return new BeatReply(held, cancelled, serverTime).withFirstTick(firstTick)
			.withSettings(this.parts.get(0).settings);
	}

	/**
	 * Return whether beats have reached a partition for a whole lease since one did not.
	 * Before that, other workers may seem silent there only because the partition was
	 * silent.
	 */
	boolean isSteady(int partition, Instant now) {
		Part part = this.parts.get(partition);
		return !part.silent && !now.isBefore(part.steadyFrom);
	}

	/**
	 * The beats to one partition.
	 */
	private final class Part {

		private final PartitionStore store;

		private @Nullable PendingReply<BeatReply> pending;

		private volatile boolean silent;

		private volatile Instant steadyFrom = Instant.MIN;

		/** The settings of the first partition count for all. */
		private long settings;

		private @Nullable Instant sentUntil;

		private @Nullable Instant leaseUntil;

		Part(PartitionStore store) {
			this.store = store;
		}

		int number() {
			return this.store.partition().number();
		}

		Link.Call send(WorkerBeat beat) {
			Instant until = beat.now().plus(beat.lease());
			boundBy(until);
			this.pending = null;
			PendingReply<BeatReply> sent = this.store.sendBeat(beat);
			this.sentUntil = until;
			this.pending = sent;
			return sent.call();
		}

		/**
		 * Keep no time that is further away than a lease, as after a clock was set back.
		 */
		private void boundBy(Instant until) {
			if (this.leaseUntil != null && this.leaseUntil.isAfter(until)) {
				this.leaseUntil = until;
			}
			if (this.steadyFrom.isAfter(until)) {
				this.steadyFrom = until;
			}
		}

		/**
		 * Read the reply.
		 */
		BeatReply read(Set<String> cancelled) {
			PendingReply<BeatReply> sent = this.pending;
			if (sent == null) {
				throw JobStoreException.refused("The beat was not sent", null, true);
			}
			BeatReply reply = sent.get();
			this.leaseUntil = this.sentUntil;
			if (this.silent && this.leaseUntil != null) {
				this.steadyFrom = this.leaseUntil;
				this.silent = false;
			}
			cancelled.addAll(reply.cancelled());
			this.settings = reply.settings();
			return reply;
		}

		/**
		 * Read a reply that came after the time-out, or give it up.
		 */
		void readLate(Set<String> cancelled) {
			PendingReply<BeatReply> late = this.pending;
			if (!this.silent || late == null) {
				return;
			}
			try {
				late.call().giveUp();
				read(cancelled);
			}
			catch (JobStoreException ex) {
				logger.debug("Partition {} is still silent", number(), ErrorText.loggable(ex));
			}
		}

		JobStoreException failed(JobStoreException fault) {
			this.silent = true;
			PartitionedBeat.this.health.failed(number(), fault);
			return fault;
		}

		/**
		 * Return how many jobs the worker holds here under each token, as far as it is
		 * known.
		 */
		Map<Long, Integer> held(Instant now) {
			if (this.silent && (this.leaseUntil == null || this.leaseUntil.isBefore(now))) {
				this.store.expire(PartitionedBeat.this.worker);
			}
			return this.store.held(PartitionedBeat.this.worker);
		}

	}

}
