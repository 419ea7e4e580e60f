package dev.jobs;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A job to be enqueued, by its name or by the type of its payload.
 * <p>
 * A request is made by a chain that begins with {@link #named(String)} or
 * {@link #ofPayload(Object)}. Each call returns a copy that keeps what was set before.
 * <pre class="code">{@code
 * JobRequest request = JobRequest.ofPayload(mail).options((options) -> options.delay(Duration.ofMinutes(10)));
 * }</pre>
 */
public final class JobRequest extends Parts {

	private final @Nullable String name;

	private final @Nullable Object payload;

	private final EnqueueOptions options;

	private JobRequest(@Nullable String name, @Nullable Object payload, EnqueueOptions options) {
		super("JobRequest[name=%s, payload=%s, options=%s]");
		if (payload instanceof JobRequest) {
			throw new IllegalArgumentException("The payload is a JobRequest; enqueue that as it is");
		}
		if (payload instanceof EnqueueOptions) {
			throw new IllegalArgumentException(
					"The payload is EnqueueOptions; set them by a lambda, as in options -> options.unique(key)");
		}
		this.name = name;
		this.payload = payload;
		this.options = options;
	}

	/**
	 * Request a job by its name, at first without a payload.
	 * @param name the logical name
	 */
	public static JobRequest named(String name) {
		return new JobRequest(Objects.requireNonNull(name, "A job needs a name"), null, EnqueueOptions.defaults());
	}

	/**
	 * Request a job by the type of its payload, which may be a text.
	 */
	public static JobRequest ofPayload(Object payload) {
		return new JobRequest(null, requirePayload(payload), EnqueueOptions.defaults());
	}

	/**
	 * Return the request that a payload stands for in a call that takes both.
	 * @param job a request, which is returned as it is, or a payload
	 * @throws IllegalArgumentException if it is a text, which may be a name or a payload
	 */
	public static JobRequest from(Object job) {
		if (job instanceof CharSequence) {
			throw new IllegalArgumentException("The text '" + job + "' may be a job name or a payload: "
					+ "use JobRequest.named(...) or JobRequest.ofPayload(...)");
		}
		return (job instanceof JobRequest request) ? request : ofPayload(job);
	}

	private static Object requirePayload(@Nullable Object payload) {
		return Objects.requireNonNull(payload,
				"'payload' must not be null; a job without a payload is enqueued by its name");
	}

	/**
	 * Set the payload.
	 * @param payload the payload, or {@code null} for none if the job has a name
	 * @return the changed request
	 */
	public JobRequest payload(@Nullable Object payload) {
		return new JobRequest(this.name, (this.name != null) ? payload : requirePayload(payload), this.options);
	}

	/**
	 * Change the options, such as {@code options -> options.delay(ofMinutes(10))}. Those
	 * that were set before stay.
	 * @param options sets some of them
	 * @return the changed request
	 */
	public JobRequest options(Consumer<? super EnqueueOptions.Builder> options) {
		return new JobRequest(this.name, this.payload,
				this.options.with(Objects.requireNonNull(options, "'options' must not be null")));
	}

	/**
	 * Set options where the request itself says nothing.
	 */
	JobRequest orElse(Consumer<? super EnqueueOptions.Builder> options) {
		return new JobRequest(this.name, this.payload, this.options.orElse(EnqueueOptions.of(options)));
	}

	/**
	 * Add a header, which is text that travels with the job.
	 * @param name the header's name
	 * @param value its value
	 * @return the changed request
	 */
	public JobRequest header(String name, String value) {
		return options((options) -> options.header(name, value));
	}

	/**
	 * Add tags, by which operators find the job.
	 * @return the changed request
	 */
	public JobRequest tags(String... tags) {
		return options((options) -> options.tags(tags));
	}

	/**
	 * Return the logical name.
	 * @return the name, or {@code null} to use the name of the payload's type
	 */
	public @Nullable String getName() {
		return this.name;
	}

	/**
	 * Return the payload.
	 * @return the payload, or {@code null} if none
	 */
	public @Nullable Object getPayload() {
		return this.payload;
	}

	/**
	 * Return how to enqueue the job.
	 */
	public EnqueueOptions getOptions() {
		return this.options;
	}

	@Override
	List<@Nullable Object> parts() {
		return Arrays.asList(this.name, this.payload, this.options);
	}

}
