package dev.jobs;

import java.util.List;

/**
 * Wraps every enqueue, of one job or many at once, those of schedules included. An
 * interceptor may change the requests. To stop a request, it does not pass it on and
 * returns an {@link Enqueued} with {@link Enqueued.Outcome#STOPPED} in its place. An
 * exception that it throws reaches the caller, and nothing is stored.
 * <pre class="code">{@code
 * EnqueueInterceptor interceptor = (requests, next) -> next
 *     .proceed(requests.stream().map((request) -> request.header("tenant", "acme")).toList());
 * }</pre>
 */
@FunctionalInterface
public interface EnqueueInterceptor {

	/**
	 * Enqueue jobs or stop them.
	 * @param requests the jobs
	 * @param next the rest of the chain, ending in the store
	 * @return what happened, one for each request, in their order
	 */
	List<Enqueued> around(List<JobRequest> requests, Next next);

	/**
	 * The rest of the chain.
	 */
	@FunctionalInterface
	interface Next {

		/**
		 * Enqueue the jobs.
		 * @return what happened, one for each request, in their order
		 */
		List<Enqueued> proceed(List<JobRequest> requests);

	}

}
