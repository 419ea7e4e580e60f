package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.jobs.store.BeatReply;
import dev.jobs.store.JobStoreException;
import dev.jobs.store.WorkerBeat;
import org.jspecify.annotations.Nullable;

/**
 * The beats of one worker. Each goes to all partitions. One that did not answer the last
 * beat is not waited for with the next, unless that is so of all; what the worker holds
 * there is what is known to this process, until its lease there has run out.
 */
final class Beating {

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
		Set<String> cancelled = new HashSet<>();
		this.parts.forEach((part) -> part.readLate(cancelled));
		boolean nobodyAnswers = this.parts.stream().allMatch(Part::isSilent);
		List<Part> awaited = new ArrayList<>();
		JobStoreException fault = null;
		for (Part part : this.parts) {
			try {
				part.send(beat, notes.getOrDefault(part.partition, List.of()));
				if (nobodyAnswers || !part.isSilent()) {
					awaited.add(part);
				}
			}
			catch (JobStoreException ex) {
				fault = part.failed(ex);
			}
		}
		this.link.await(awaited.stream().map(Part::call).toList());
		Instant serverTime = null;
		for (Part part : awaited) {
			try {
				Instant time = part.read(cancelled);
				serverTime = (serverTime != null) ? serverTime : time;
			}
			catch (JobStoreException ex) {
				fault = part.failed(ex);
			}
		}
		if (serverTime == null && fault != null) {
			throw fault;
		}
		Set<Long> open = new HashSet<>();
		this.parts.forEach((part) -> part.addOpen(beat.now(), open));
		return new BeatReply(open, cancelled, serverTime);
	}

	/**
	 * Take note of a token under which the worker got jobs.
	 */
	void claimed(int partition, long token) {
		this.parts.get(partition).claimed(token);
	}

	/**
	 * What is known of the worker in one partition.
	 */
	private final class Part {

		private final int partition;

		private final Set<Long> held = new HashSet<>();

		private final Set<Long> claimedSince = new HashSet<>();

		private Link.@Nullable Call call;

		private boolean silent;

		private @Nullable Instant sentUntil;

		private @Nullable Instant leaseUntil;

		Part(int partition) {
			this.partition = partition;
		}

		boolean isSilent() {
			return this.silent;
		}

		Link.Call call() {
			return Objects.requireNonNull(this.call);
		}

		synchronized void claimed(long token) {
			this.claimedSince.add(token);
		}

		void send(WorkerBeat beat, List<WorkerBeat.Note> notes) {
			Instant until = beat.now().plus(beat.lease());
			Arguments arguments = Arguments.at(beat.now())
				.add(beat.worker())
				.add(until)
				.add(beat.leaving() ? 1 : 0)
				.add(Formats.info(beat.info()));
			for (WorkerBeat.Note note : notes) {
				arguments.add(note.jobId()).add(note.queue()).add(note.token()).add(Formats.progress(note.progress()));
			}
			synchronized (this) {
				this.held.addAll(this.claimedSince);
				this.claimedSince.clear();
			}
			this.sentUntil = until;
			this.call = Beating.this.link.send(Script.BEAT, Beating.this.partitions.keys(this.partition), arguments);
		}

		/**
		 * Read the reply, and return the time that the server has.
		 */
		Instant read(Set<String> cancelled) {
			Reply reply = call().reply();
			this.silent = false;
			this.leaseUntil = this.sentUntil;
			Set<Long> tokens = new HashSet<>();
			Reply held = reply.list();
			while (held.hasMore()) {
				String name = held.text();
				tokens.add(Long.parseLong(name.substring(0, name.indexOf(':'))));
			}
			synchronized (this) {
				this.held.clear();
				this.held.addAll(tokens);
			}
			Reply wishes = reply.list();
			while (wishes.hasMore()) {
				cancelled.add(wishes.text());
			}
			Reply time = reply.list();
			return Instant.ofEpochSecond(time.number(), time.number() * 1000);
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
				this.call = null;
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
			open.addAll(this.held);
			open.addAll(this.claimedSince);
		}

	}

}
