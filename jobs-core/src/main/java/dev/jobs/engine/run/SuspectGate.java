package dev.jobs.engine.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import dev.jobs.store.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Admits one suspect at a time in this process, so that a job that kills the process is
 * identified and no other is blamed. More may wait here for their turn: they have not
 * started, so the death of the process costs them nothing.
 * <p>
 * A suspect that has crashed comes after all others. It gets its turn only if no other is
 * here and the jobs of the last process are back. So if processes die for other reasons,
 * each runs a different suspect, and no suspect is blamed again and again.
 */
public final class SuspectGate {

	private static final int MOST_WAITING = 100;

	private final BooleanSupplier othersAreBack;

	private final Queue<Waiting> waiting = new ArrayDeque<>();

	private boolean busy;

	/**
	 * Create a gate.
	 * @param othersAreBack whether the jobs of workers that vanished before this process
	 * began have been taken over
	 */
	public SuspectGate(BooleanSupplier othersAreBack) {
		this.othersAreBack = othersAreBack;
	}

	/**
	 * Ask for the turn of a suspect.
	 * @param claim the suspect
	 * @param place where it goes when its turn comes
	 * @return whether it is its turn now
	 */
	synchronized Turn enter(Claim claim, Place place) {
		if (claim.job().trail().crashes() > 0 && (this.busy || !this.othersAreBack.getAsBoolean())) {
			return Turn.NOT_HERE;
		}
		if (!this.busy) {
			this.busy = true;
			return Turn.NOW;
		}
		if (this.waiting.size() >= MOST_WAITING) {
			return Turn.NOT_HERE;
		}
		this.waiting.add(new Waiting(claim, place));
		return Turn.LATER;
	}

	/**
	 * End the turn of a suspect and start the next. At each moment a suspect is either
	 * here or in the line of its pool, so a look at both finds it.
	 */
	synchronized void leave() {
		Waiting next = this.waiting.poll();
		this.busy = next != null;
		if (next != null) {
			next.place().accept(next.claim());
		}
	}

	/**
	 * Give up one suspect that waits.
	 * @return its claim, or {@code null} if none waits
	 */
	synchronized @Nullable Claim withdraw() {
		Waiting next = this.waiting.poll();
		return (next != null) ? next.claim() : null;
	}

	/**
	 * Give up selected suspects that wait for a place.
	 * @return their claims
	 */
	synchronized List<Claim> withdraw(Place place, Predicate<Claim> which) {
		List<Claim> withdrawn = new ArrayList<>();
		this.waiting
			.removeIf((each) -> each.place() == place && which.test(each.claim()) && withdrawn.add(each.claim()));
		return withdrawn;
	}

	/**
	 * When a suspect may run.
	 */
	enum Turn {

		/** At once. */
		NOW,

		/** When the suspects before it have run. */
		LATER,

		/** Not here and now. */
		NOT_HERE

	}

	/**
	 * Where a suspect goes when its turn comes.
	 */
	interface Place {

		/**
		 * Take a suspect in.
		 * @param claim the suspect
		 */
		void accept(Claim claim);

	}

	private record Waiting(Claim claim, Place place) {

	}

}
