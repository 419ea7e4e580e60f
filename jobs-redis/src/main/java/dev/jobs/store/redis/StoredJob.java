package dev.jobs.store.redis;

import dev.jobs.Job;
import dev.jobs.JobState;
import org.jspecify.annotations.Nullable;

/**
 * What the record and the trail of a job say. Its state is told by the structure it is
 * in.
 *
 * @param job the job, as if it were ready
 * @param cancelled whether it was cancelled, if it is in the history
 */
record StoredJob(Job job, boolean cancelled) {

	Job in(JobState state, Job.@Nullable Run run) {
		return this.job.toBuilder().state(state).run(run).build();
	}

}
