package dev.jobs.store.contract.engine;

import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.ForwardingStore;

/**
 * A store that gives a claim more jobs than it asks for, so that the others wait in line
 * behind the first, as they do where jobs are claimed ahead.
 */
class GenerousStore extends ForwardingStore {

	private final int jobs;

	GenerousStore(JobStore target, int jobs) {
		super(target);
		this.jobs = jobs;
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return super.claim(new ClaimRequest(request.worker(),
				request.quotas()
					.stream()
					.map((quota) -> Quota.of(quota.queue(), this.jobs).withMaxRunning(quota.maxRunning()))
					.toList(),
				this.jobs, request.now()));
	}

}
