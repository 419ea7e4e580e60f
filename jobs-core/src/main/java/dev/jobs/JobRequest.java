package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * A job to be enqueued.
 *
 * @param name the logical name, or {@code null} to take it from the payload's type
 * @param payload the payload, or {@code null} for none
 * @param options how to enqueue it
 */
public record JobRequest(@Nullable String name, @Nullable Object payload, EnqueueOptions options) {

	public JobRequest {
		if (name == null && payload == null) {
			throw new IllegalArgumentException("A job needs a name, or a payload whose type has one");
		}
	}

	/**
	 * Request a job by the type of its payload.
	 * @param payload the payload
	 * @return the request
	 */
	public static JobRequest of(Object payload) {
		return new JobRequest(null, payload, EnqueueOptions.defaults());
	}

	/**
	 * Request a job by name.
	 * @param name the logical name
	 * @param payload the payload, or {@code null} for none
	 * @return the request
	 */
	public static JobRequest of(String name, @Nullable Object payload) {
		return new JobRequest(name, payload, EnqueueOptions.defaults());
	}

	/**
	 * Return this request with other options.
	 * @param options the options
	 * @return the changed request
	 */
	public JobRequest with(EnqueueOptions options) {
		return new JobRequest(this.name, this.payload, options);
	}

	/**
	 * Return this request with another payload.
	 * @param payload the payload
	 * @return the changed request
	 */
	public JobRequest withPayload(@Nullable Object payload) {
		return new JobRequest(this.name, payload, this.options);
	}

	/**
	 * Return this request with one more header.
	 * @param name the header's name
	 * @param value its value
	 * @return the changed request
	 */
	public JobRequest header(String name, String value) {
		return with(this.options.header(name, value));
	}

	/**
	 * Return this request with more tags, by which operators find the job.
	 * @param tags the tags
	 * @return the changed request
	 */
	public JobRequest tags(String... tags) {
		return with(this.options.tags(tags));
	}

}
