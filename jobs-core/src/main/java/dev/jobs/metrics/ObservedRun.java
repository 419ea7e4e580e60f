package dev.jobs.metrics;

import dev.jobs.JobContext;
import dev.jobs.JobResult;
import dev.jobs.RunInterceptor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Makes every run an observation, which continues the trace of the enqueue. Without an
 * observer it does nothing.
 *
 * @param registry who observes
 * @param convention how a run is reported, or {@code null} for the default
 */
public record ObservedRun(ObservationRegistry registry,
		@Nullable JobRunObservationConvention convention) implements RunInterceptor {

	@Override
	public JobResult around(JobContext run, Next next) throws Exception {
		if (this.registry.isNoop()) {
			return next.proceed();
		}
		JobRunContext context = new JobRunContext(run);
		Observation observation = Observation.createNotStarted(this.convention, JobRunObservationConvention.DEFAULT,
				() -> context, this.registry);
		observation.start();
		try (Observation.Scope scope = observation.openScope()) {
			JobResult result = next.proceed();
			context.setResult(result);
			return result;
		}
		catch (Throwable ex) {
			observation.error(ex);
			throw ex;
		}
		finally {
			observation.stop();
		}
	}

}
