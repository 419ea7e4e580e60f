package dev.jobs;

/**
 * Wraps every run of a job. Interceptors nest in their order; one that does not call
 * {@code proceed} decides the result itself, one that throws fails the attempt.
 * <pre class="code">{@code
 * RunInterceptor interceptor = (context, next) -> {
 *     String tenant = context.headers().get("tenant");
 *     return (tenant != null) ? next.proceed() : JobResult.discard().message("No tenant");
 * };
 * }</pre>
 */
@FunctionalInterface
public interface RunInterceptor {

	/**
	 * Run a job or stop it.
	 * @param context the run
	 * @param next the rest of the chain, ending in the handler
	 * @return what becomes of the job
	 * @throws Exception if the attempt failed
	 */
	JobResult around(JobContext context, Next next) throws Exception;

	/**
	 * The rest of the chain.
	 */
	@FunctionalInterface
	interface Next {

		/**
		 * Run the rest of the chain.
		 * @return its result
		 * @throws Exception if the attempt failed
		 */
		JobResult proceed() throws Exception;

	}

}
