package dev.jobs.store;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The store's reply to a beat of a worker.
 *
 * @param held how many jobs the worker holds under each token; runs under any other,
 * older token are lost
 * @param cancelled the ids of jobs it holds that an operator asked to end
 * @param serverTime the store's own time, or {@code null} if none
 * @param reported whether the store has the beat's report; if not, the next beat sends it
 * again, under the same number
 * @param firstTick when to look at the first of all schedules that were put, or
 * {@code null}
 * @param settings the revision of the settings for workers; 0 if none was ever changed
 */
public record BeatReply(Map<Long, Integer> held, Set<String> cancelled, @Nullable Instant serverTime, boolean reported,
		@Nullable Instant firstTick, long settings) {

	/**
	 * Create the reply to a beat whose report the store has.
	 * @param held how many jobs the worker holds under each token
	 * @param cancelled the ids of jobs it holds that an operator asked to end
	 * @param serverTime the store's own time, or {@code null} if none
	 */
	public BeatReply(Map<Long, Integer> held, Set<String> cancelled, @Nullable Instant serverTime) {
		this(held, cancelled, serverTime, true, null, 0);
	}

	/**
	 * Return this reply for a beat whose report could not be written.
	 */
	public BeatReply withoutReport() {
		return new BeatReply(this.held, this.cancelled, this.serverTime, false, this.firstTick, this.settings);
	}

	/**
	 * Return this reply with the time of the first tick.
	 */
	public BeatReply withFirstTick(@Nullable Instant firstTick) {
		return new BeatReply(this.held, this.cancelled, this.serverTime, this.reported, firstTick, this.settings);
	}

	/**
	 * Return this reply with the revision of the settings for workers.
	 */
	public BeatReply withSettings(long settings) {
		return new BeatReply(this.held, this.cancelled, this.serverTime, this.reported, this.firstTick, settings);
	}

	/**
	 * Return the tokens under which the worker holds jobs.
	 */
	public Set<Long> openTokens() {
		return this.held.keySet();
	}

}
