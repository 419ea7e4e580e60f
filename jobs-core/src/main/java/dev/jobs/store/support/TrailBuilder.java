package dev.jobs.store.support;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.Trail.End;
import dev.jobs.Trail.Wait;
import org.jspecify.annotations.Nullable;

/**
 * Builds the trail of a job: one that was stored, or one that continues another. Parts
 * that are not set are as in the {@linkplain Trail#EMPTY empty} one.
 */
public final class TrailBuilder {

	private static final int LOGS_KEPT = 3;

	private int failures;

	private int abandonments;

	private int crashes;

	private boolean suspect;

	private int postponements;

	private List<Attempt> attempts = List.of();

	private @Nullable Wait waitsFor;

	private @Nullable End end;

	/**
	 * Begin with a copy of another trail.
	 * @param trail the other
	 * @return the builder
	 */
	public static TrailBuilder of(Trail trail) {
		return new TrailBuilder().failures(trail.failures())
			.abandonments(trail.abandonments())
			.crashes(trail.crashes())
			.suspect(trail.suspect())
			.postponements(trail.postponements())
			.attempts(trail.attempts())
			.waitsFor(trail.waitsFor())
			.end(trail.end());
	}

	/**
	 * Return the trail of a dead job that an operator retries: the errors stay readable,
	 * all counters start again.
	 * @param trail the trail it died with
	 */
	public static Trail retried(Trail trail) {
		return new TrailBuilder().attempts(trail.attempts()).build();
	}

	/**
	 * Return the trail of a job that dies.
	 * @param trail its trail until now
	 * @param end how it dies
	 */
	public static Trail ended(Trail trail, End end) {
		return of(trail).end(end).build();
	}

	public TrailBuilder failures(int failures) {
		this.failures = failures;
		return this;
	}

	public TrailBuilder abandonments(int abandonments) {
		this.abandonments = abandonments;
		return this;
	}

	public TrailBuilder crashes(int crashes) {
		this.crashes = crashes;
		return this;
	}

	public TrailBuilder suspect(boolean suspect) {
		this.suspect = suspect;
		return this;
	}

	public TrailBuilder postponements(int postponements) {
		this.postponements = postponements;
		return this;
	}

	/**
	 * Set the latest ended attempts.
	 * @param attempts the attempts, oldest first
	 */
	public TrailBuilder attempts(List<Attempt> attempts) {
		this.attempts = attempts;
		return this;
	}

	/**
	 * Add an attempt that ended. At most {@value Trail#ATTEMPTS_KEPT} attempts are kept
	 * in all, and the logs of the latest only.
	 */
	public TrailBuilder attempt(Attempt attempt) {
		List<Attempt> all = new ArrayList<>(this.attempts);
		int older = all.size() - LOGS_KEPT;
		if (older >= 0 && all.get(older).log() != null) {
			all.set(older, all.get(older).withLog(null));
		}
		all.add(attempt);
		return attempts(all.subList(Math.max(all.size() - Trail.ATTEMPTS_KEPT, 0), all.size()));
	}

	/**
	 * Remove the stacks and the logs of all attempts except one.
	 * @param kept the one, or {@code null} to remove all
	 */
	TrailBuilder withDetailsOf(@Nullable Attempt kept) {
		return attempts(this.attempts.stream()
			.map((attempt) -> (attempt == kept) ? attempt : attempt.withStackTrace(null).withLog(null))
			.toList());
	}

	/**
	 * Set what the job waits for.
	 */
	public TrailBuilder waitsFor(@Nullable Wait waitsFor) {
		this.waitsFor = waitsFor;
		return this;
	}

	/**
	 * Set how the job died.
	 * @param end how, or {@code null} while it lives
	 */
	public TrailBuilder end(@Nullable End end) {
		this.end = end;
		return this;
	}

	/**
	 * Build the trail.
	 * @return the trail, {@link Trail#EMPTY} if it is empty
	 */
	public Trail build() {
		RecordedTrail trail = new RecordedTrail(this.failures, this.abandonments, this.crashes, this.suspect,
				this.postponements, List.copyOf(this.attempts), this.waitsFor, this.end);
		return trail.equals(RecordedTrail.NOTHING) ? Trail.EMPTY : trail;
	}

	private record RecordedTrail(int failures, int abandonments, int crashes, boolean suspect, int postponements,
			List<Attempt> attempts, @Nullable Wait waitsFor, @Nullable End end) implements Trail {

		private static final RecordedTrail NOTHING = new RecordedTrail(0, 0, 0, false, 0, List.of(), null, null);

	}

}
