package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.JobStoreException;
import dev.jobs.store.BeatReply;
import dev.jobs.store.ErrorText;
import dev.jobs.store.Tally;
import dev.jobs.store.WorkerBeat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The beats of one worker. Each goes to all partitions. One that did not answer the last
 * beat is not waited for with the next, unless that is so of all; what the worker holds
 * there is what is known to this process, until its lease there has run out. The time is
 * that of the first partition's server, so that all workers go by the same.
 */
final class Beating {

	private static final Logger logger = LoggerFactory.getLogger(Beating.class);

	private final Link link;

	private final Partitions partitions;

	private final Health health;

	private final List<Part> parts;

	Beating(Link link, Partitions partitions, Health health) {
		this.link = link;
		this.partitions = partitions;
		this.health = health;
		this.parts = partitions.all().stream().map(Part::new).toList();
	}

	BeatReply beat(WorkerBeat beat) {
		Map<Integer, List<WorkerBeat.Note>> notes = this.partitions.split(beat.notes(), WorkerBeat.Note::queue);
		Map<Integer, List<Tally>> tallies = this.partitions.split(beat.report().tallies(), Tally::queue);
		Set<String> cancelled = new HashSet<>();
		this.parts.forEach((part) -> part.readLate(cancelled));
		boolean nobodyAnswers = this.parts.stream().allMatch(Part::isSilent);
		List<Part> awaited = new ArrayList<>();
		List<Link.Call> calls = new ArrayList<>();
		JobStoreException fault = null;
		for (Part part : this.parts) {
			try {
				Link.Call call = part.send(beat, notes.getOrDefault(part.partition, List.of()),
						tallies.getOrDefault(part.partition, List.of()));
				if (nobodyAnswers || !part.isSilent()) {
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
		for (Part part : awaited) {
			try {
				Instant time = part.read(cancelled);
				answered = true;
				serverTime = (part == this.parts.get(0)) ? time : serverTime;
			}
			catch (JobStoreException ex) {
				fault = part.failed(ex);
			}
		}
		if (!answered && fault != null) {
			throw fault;
		}
		Set<Long> open = new HashSet<>();
		this.parts.forEach((part) -> part.addOpen(beat.now(), open));
		return new BeatReply(open, cancelled, serverTime);
	}

	/**
	 * Return whether beats have reached a partition for a whole lease since they last did
	 * not. Until then the silence of other workers there may be the partition's.
	 */
	boolean isSteady(int partition, Instant now) {
		return this.parts.get(partition).isSteady(now);
	}

	/**
	 * Take note of a token under which the worker got jobs.
	 */
	void claimed(int partition, long token, String queue) {
		this.parts.get(partition).claimed(token, queue);
	}

	/**
	 * What is known of the worker in one partition.
	 */
	private final class Part {

		private final int partition;

		/** Tokens, and the queues in which the worker holds jobs under them. */
		private final Map<Long, Set<String>> held = new HashMap<>();

		private final Map<Long, Set<String>> claimedSince = new HashMap<>();

		private Link.@Nullable Call call;

		private volatile boolean silent;

		private volatile Instant steadyFrom = Instant.MIN;

		private @Nullable Instant sentUntil;

		private @Nullable Instant leaseUntil;

		Part(int partition) {
			this.partition = partition;
		}

		boolean isSilent() {
			return this.silent;
		}

		boolean isSteady(Instant now) {
			return !this.silent && !now.isBefore(this.steadyFrom);
		}

		synchronized void claimed(long token, String queue) {
			this.claimedSince.computeIfAbsent(token, (key) -> new HashSet<>()).add(queue);
		}

		/**
		 * Return what the worker counts on, for the script to put back what somebody has
		 * erased.
		 */
		private synchronized byte[] countedOn() {
			this.held.putAll(this.claimedSince);
			this.claimedSince.clear();
			FieldWriter names = new FieldWriter();
			this.held.forEach((token, queues) -> queues.forEach((queue) -> names.add(token + ":" + queue)));
			return names.toBytes();
		}

		Link.Call send(WorkerBeat beat, List<WorkerBeat.Note> notes, List<Tally> tallies) {
			Instant until = beat.now().plus(beat.lease());
			Arguments arguments = Arguments.at(beat.now())
				.add(beat.worker())
				.add(until)
				.add(beat.leaving() ? 1 : 0)
				.add(Formats.info(beat.info()))
				.add(beat.report().number());
			History.add(tallies, countedOn(), arguments);
			for (WorkerBeat.Note note : notes) {
				arguments.add(note.jobId()).add(note.queue()).add(note.token()).add(Formats.progress(note.progress()));
			}
			boundBy(until);
			this.call = null;
			Link.Call sent = Beating.this.link.send(Script.BEAT, Beating.this.partitions.keys(this.partition),
					arguments);
			this.sentUntil = until;
			this.call = sent;
			return sent;
		}

		/**
		 * Keep no time that is further away than a lease, since the clock was set back.
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
		 * Read the reply, and return the time that the server has.
		 */
		Instant read(Set<String> cancelled) {
			Link.Call sent = this.call;
			if (sent == null) {
				throw JobStoreException.refused("The beat was not sent", null, true);
			}
			Reply reply = sent.reply();
			this.leaseUntil = this.sentUntil;
			if (this.silent && this.leaseUntil != null) {
				this.steadyFrom = this.leaseUntil;
				this.silent = false;
			}
			Map<Long, Set<String>> tokens = new HashMap<>();
			Reply held = reply.list();
			while (held.hasMore()) {
				String name = held.text();
				int colon = name.indexOf(':');
				tokens.computeIfAbsent(Long.parseLong(name.substring(0, colon)), (key) -> new HashSet<>())
					.add(name.substring(colon + 1));
			}
			synchronized (this) {
				this.held.clear();
				this.held.putAll(tokens);
			}
			Reply wishes = reply.list();
			while (wishes.hasMore()) {
				cancelled.add(wishes.text());
			}
			return reply.list().time();
		}

		/**
		 * Read what was answered after nobody waited for it any more, or give it up.
		 */
		void readLate(Set<String> cancelled) {
			Link.Call late = this.call;
			if (!this.silent || late == null) {
				return;
			}
			try {
				late.giveUp();
				read(cancelled);
			}
			catch (JobStoreException ex) {
				logger.debug("A partition is still silent", ErrorText.loggable(ex));
			}
		}

		JobStoreException failed(JobStoreException fault) {
			this.silent = true;
			Beating.this.health.failed(this.partition, fault);
			return fault;
		}

		synchronized void addOpen(Instant now, Set<Long> open) {
			if (this.silent && (this.leaseUntil == null || this.leaseUntil.isBefore(now))) {
				this.held.clear();
			}
			open.addAll(this.held.keySet());
			open.addAll(this.claimedSince.keySet());
		}

	}

}
