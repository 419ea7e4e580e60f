package dev.jobs.engine.settings;

import java.time.Duration;

import dev.jobs.store.WorkerBeat;
import org.jspecify.annotations.Nullable;

/**
 * How the engine behaves as a whole. All defaults are fit for production.
 *
 * @param lease how long a worker counts as alive after a beat; a dead worker's jobs run
 * again soon after
 * @param beat how often a worker renews its lease; at most a third of it
 * @param poll how often a pool looks into its queues when no signal comes
 * @param rescue whether to take over jobs of vanished workers
 * @param maxPayloadBytes how large a payload may be
 * @param misfireGrace how late a schedule's tick may be and still count as on time
 * @param version the application's version, for people to see
 * @param retention what is kept, and for how long
 */
public record EngineSettings(Duration lease, Duration beat, Duration poll, boolean rescue, int maxPayloadBytes,
		Duration misfireGrace, String version, Retention retention) {

	private static final EngineSettings DEFAULTS = new EngineSettings(Duration.ofSeconds(15), Duration.ofSeconds(4),
			Duration.ofSeconds(5), true, 1024 * 1024, Duration.ofSeconds(5), "", Retention.defaults());

	public EngineSettings {
		requirePositive("lease", lease);
		requirePositive("beat", beat);
		requirePositive("poll", poll);
		if (beat.multipliedBy(3).compareTo(lease) > 0) {
			throw new IllegalArgumentException(
					"'beat' must be at most a third of 'lease' (%s) but was %s".formatted(lease, beat));
		}
		if (maxPayloadBytes < 1) {
			throw new IllegalArgumentException("'maxPayloadBytes' must be positive but was " + maxPayloadBytes);
		}
	}

	/**
	 * Return the default settings.
	 */
	public static EngineSettings defaults() {
		return DEFAULTS;
	}

	/**
	 * Change how leases are kept.
	 * @param lease how long a worker counts as alive after a beat
	 * @param beat how often it is renewed
	 * @return the changed settings
	 */
	public EngineSettings withLease(Duration lease, Duration beat) {
		return new EngineSettings(lease, beat, this.poll, this.rescue, this.maxPayloadBytes, this.misfireGrace,
				this.version, this.retention);
	}

	/**
	 * Change how often queues are looked into when no signal comes.
	 * @param poll the time in between
	 * @return the changed settings
	 */
	public EngineSettings withPoll(Duration poll) {
		return new EngineSettings(this.lease, this.beat, poll, this.rescue, this.maxPayloadBytes, this.misfireGrace,
				this.version, this.retention);
	}

	/**
	 * Take over jobs of vanished workers, or do not.
	 * @param rescue whether to do so
	 * @return the changed settings
	 */
	public EngineSettings withRescue(boolean rescue) {
		return new EngineSettings(this.lease, this.beat, this.poll, rescue, this.maxPayloadBytes, this.misfireGrace,
				this.version, this.retention);
	}

	/**
	 * Change how large payloads may be.
	 * @param maxPayloadBytes the bound
	 * @return the changed settings
	 */
	public EngineSettings withMaxPayloadBytes(int maxPayloadBytes) {
		return new EngineSettings(this.lease, this.beat, this.poll, this.rescue, maxPayloadBytes, this.misfireGrace,
				this.version, this.retention);
	}

	/**
	 * Name the application's version.
	 * @return the changed settings
	 */
	public EngineSettings withVersion(String version) {
		return new EngineSettings(this.lease, this.beat, this.poll, this.rescue, this.maxPayloadBytes,
				this.misfireGrace, version, this.retention);
	}

	/**
	 * Change what is kept.
	 * @param retention what, and for how long
	 * @return the changed settings
	 */
	public EngineSettings withRetention(Retention retention) {
		return new EngineSettings(this.lease, this.beat, this.poll, this.rescue, this.maxPayloadBytes,
				this.misfireGrace, this.version, retention);
	}

	private static void requirePositive(String name, Duration value) {
		if (value.isNegative() || value.isZero() || value.compareTo(WorkerBeat.LONGEST_LEASE) > 0) {
			throw new IllegalArgumentException(
					"'%s' must be more than nothing and at most a day but was %s".formatted(name, value));
		}
	}

	/**
	 * How many jobs are kept, and for how long.
	 *
	 * @param deadAge how long dead jobs are kept, or {@code null} for ever
	 * @param deadCount how many dead jobs of a name are kept; 0 for all
	 * @param historyAge how long succeeded and cancelled jobs are kept, or {@code null}
	 * for ever
	 * @param historyCount how many of them are kept for a name; 0 for all
	 * @param strandedAge how long a due job may wait while no live worker has a handler
	 * for it, or {@code null} for ever
	 */
	public record Retention(@Nullable Duration deadAge, int deadCount, @Nullable Duration historyAge, int historyCount,
			@Nullable Duration strandedAge) {

		/** How long a schedule without workers is remembered. */
		public static final Duration SCHEDULES = Duration.ofDays(30);

		/**
		 * Return the default retention: 10 000 dead jobs of a name for 90 days, 1000
		 * succeeded jobs for a day if the handler keeps any, stranded jobs for ever.
		 */
		public static Retention defaults() {
			return new Retention(Duration.ofDays(90), 10_000, Duration.ofDays(1), 1000, null);
		}

	}

}
