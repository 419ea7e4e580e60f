package dev.jobs.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;

/**
 * A registered worker and what it holds.
 */
final class Worker {

	private final String id;

	/** By token. */
	final Map<Long, Delivery> deliveries = new TreeMap<>();

	private @Nullable WorkerInfo info;

	private Instant lastBeat = Instant.MIN;

	private Instant leaseUntil = Instant.MIN;

	private Duration lease = Duration.ZERO;

	private long lastReport;

	Worker(String id) {
		this.id = id;
	}

	String id() {
		return this.id;
	}

	void beat(WorkerBeat beat) {
		this.lastBeat = beat.now();
		this.lease = beat.lease();
		this.leaseUntil = beat.now().plus(this.lease);
		if (beat.info() != null) {
			this.info = beat.info();
		}
		this.lastReport = Math.max(this.lastReport, beat.report().number());
	}

	boolean isNew(WorkerBeat.Report report) {
		return report.number() > this.lastReport;
	}

	boolean isAlive(Instant now) {
		return !this.leaseUntil.isBefore(now);
	}

	/**
	 * Cut the lease if it ends later than its own length from now.
	 */
	boolean cutLease(Instant now) {
		Instant latest = now.plus(this.lease);
		boolean cut = this.leaseUntil.isAfter(latest);
		this.leaseUntil = cut ? latest : this.leaseUntil;
		return cut;
	}

	boolean serves(String queue) {
		return this.info != null && this.info.pools().stream().anyMatch((pool) -> pool.queues().contains(queue));
	}

	Stream<StoredJob> jobs() {
		return this.deliveries.values().stream().flatMap((delivery) -> delivery.jobs().stream());
	}

	WorkerView view() {
		return new WorkerView(this.id, this.info, this.lastBeat, this.leaseUntil, jobs().count());
	}

}
