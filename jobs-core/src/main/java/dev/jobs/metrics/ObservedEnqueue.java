package dev.jobs.metrics;

import java.util.List;
import java.util.Map;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.Enqueued;
import dev.jobs.JobRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Makes every enqueue an observation, and puts the trace into the jobs' headers. Without
 * an observer it does nothing.
 *
 * @param registry who observes
 * @param convention how an enqueue is reported, or {@code null} for the default
 */
public record ObservedEnqueue(ObservationRegistry registry,
		@Nullable JobEnqueueObservationConvention convention) implements EnqueueInterceptor {

	@Override
	public List<Enqueued> around(List<JobRequest> requests, Next next) {
		if (this.registry.isNoop()) {
			return next.proceed(requests);
		}
		JobEnqueueContext context = new JobEnqueueContext(requests);
		Observation observation = Observation.createNotStarted(this.convention, JobEnqueueObservationConvention.DEFAULT,
				() -> context, this.registry);
		return observe(observation, context, next);
	}

	private static List<Enqueued> observe(Observation observation, JobEnqueueContext context, Next next) {
		observation.start();
		try (Observation.Scope scope = observation.openScope()) {
			List<Enqueued> enqueued = next.proceed(withHeaders(context));
			context.setEnqueued(enqueued);
			return enqueued;
		}
		catch (RuntimeException | Error ex) {
			observation.error(ex);
			throw ex;
		}
		finally {
			observation.stop();
		}
	}

	private static List<JobRequest> withHeaders(JobEnqueueContext context) {
		Map<String, String> headers = context.getCarrier();
		if (headers == null || headers.isEmpty()) {
			return context.getRequests();
		}
		return context.getRequests().stream().map((request) -> with(request, headers)).toList();
	}

	private static JobRequest with(JobRequest request, Map<String, String> headers) {
		JobRequest changed = request;
		for (Map.Entry<String, String> header : headers.entrySet()) {
			changed = changed.header(header.getKey(), header.getValue());
		}
		return changed;
	}

}
