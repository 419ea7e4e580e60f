package dev.jobs.engine.settle;

import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * The end of a delivery: what to write about the job, and what to publish afterwards.
 *
 * @param transition what to write
 * @param job the job as it was claimed
 * @param event what happened, or {@code null} if nothing is published
 * @param committed what happened instead if the job turns out to be gone because the
 * transaction of its run was committed, or {@code null} without a transaction
 */
record Ending(Transition transition, Job job, @Nullable JobEvent event, @Nullable JobEvent committed) {

	Ending withSaved() {
		return new Ending(this.transition.withSaved(), this.job, this.event, this.committed);
	}

	/**
	 * Return whether the store has accepted this end.
	 * @param settled what the store returned
	 * @param repeated whether this was written before, without a reply
	 * @return whether it has; otherwise the job was no longer held
	 */
	boolean isApplied(Settled settled, boolean repeated) {
		return settled == Settled.APPLIED || (settled == Settled.GONE && (repeated || this.committed != null));
	}

}
