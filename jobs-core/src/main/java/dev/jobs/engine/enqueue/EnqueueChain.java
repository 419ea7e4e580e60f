package dev.jobs.engine.enqueue;

import java.util.List;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.EnqueueInterceptor.Next;
import dev.jobs.Enqueued;
import dev.jobs.JobRequest;

/**
 * The interceptors that requests pass on their way to the writer.
 */
public final class EnqueueChain {

	private final List<EnqueueInterceptor> interceptors;

	/**
	 * Create a chain.
	 * @param interceptors the interceptors, the outermost first
	 */
	public EnqueueChain(List<EnqueueInterceptor> interceptors) {
		this.interceptors = List.copyOf(interceptors);
	}

	/**
	 * Pass requests through all interceptors.
	 * @param requests the jobs
	 * @param writer writes what they let through
	 * @return what happened, one for each request
	 */
	List<Enqueued> pass(List<JobRequest> requests, Next writer) {
		return pass(0, requests, writer);
	}

	private List<Enqueued> pass(int position, List<JobRequest> requests, Next writer) {
		if (position == this.interceptors.size()) {
			return requests.isEmpty() ? List.of() : writer.proceed(requests);
		}
		EnqueueInterceptor interceptor = this.interceptors.get(position);
		List<Enqueued> enqueued = interceptor.around(requests, (passed) -> pass(position + 1, passed, writer));
		if (enqueued == null || enqueued.size() != requests.size()) {
			throw new IllegalStateException(
					"The EnqueueInterceptor %s returned %s for %d request(s); it must return one result for each"
						.formatted(interceptor, (enqueued != null) ? enqueued.size() + " result(s)" : "null",
								requests.size()));
		}
		return enqueued;
	}

}
