package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * Runs the jobs of one name. <pre class="code">{@code
 * Handler<OrderMail> handler = (mail, context) -> {
 *     context.checkIn("to " + mail.to());
 *     return JobResult.done();
 * };
 * }</pre>
 *
 * @param <T> the payload type
 */
@FunctionalInterface
public interface Handler<T extends @Nullable Object> {

	/**
	 * Run a job. An exception, of whatever kind, is a failed attempt.
	 * @param payload the decoded payload; {@code null} if none
	 * @param context the job at hand
	 * @return what becomes of the job; {@code null} counts as done
	 * @throws Exception if the attempt failed
	 */
	JobResult handle(T payload, JobContext context) throws Exception;

}
