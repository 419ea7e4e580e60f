package dev.jobs.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.jobs.Enqueued;
import dev.jobs.JobRequest;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;

/**
 * The context of an observed enqueue. Tracing writes the trace into its carrier, which
 * becomes headers of the jobs.
 */
public class JobEnqueueContext extends SenderContext<Map<String, String>> {

	private final List<JobRequest> requests;

	private List<Enqueued> enqueued = List.of();

	/**
	 * Create the context.
	 * @param requests the jobs
	 */
	public JobEnqueueContext(List<JobRequest> requests) {
		super((carrier, name, value) -> {
			if (carrier != null) {
				carrier.put(name, value);
			}
		}, Kind.PRODUCER);
		setCarrier(new LinkedHashMap<>());
		this.requests = List.copyOf(requests);
	}

	/**
	 * Return the jobs to be enqueued.
	 * @return the jobs, one or many
	 */
	public List<JobRequest> getRequests() {
		return this.requests;
	}

	/**
	 * Return what the enqueue did.
	 * @return the results, one for each request; empty until they are known
	 */
	public List<Enqueued> getEnqueued() {
		return this.enqueued;
	}

	void setEnqueued(List<Enqueued> enqueued) {
		this.enqueued = List.copyOf(enqueued);
	}

}
