package dev.jobs.metrics;

import java.util.Map;

import dev.jobs.JobContext;
import dev.jobs.JobResult;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import org.jspecify.annotations.Nullable;

/**
 * The context of an observed run. Tracing reads the trace of the enqueue from the headers
 * of the job.
 */
public class JobRunContext extends ReceiverContext<Map<String, String>> {

	private final JobContext run;

	private @Nullable JobResult result;

	/**
	 * Create the context.
	 */
	public JobRunContext(JobContext run) {
		super(Map::get, Kind.CONSUMER);
		setCarrier(run.headers());
		this.run = run;
	}

	/**
	 * Return the run.
	 */
	public JobContext getRun() {
		return this.run;
	}

	/**
	 * Return what the handler returned.
	 * @return the result, or {@code null} if it is not known or an exception was thrown
	 */
	public @Nullable JobResult getResult() {
		return this.result;
	}

	void setResult(JobResult result) {
		this.result = result;
	}

}
