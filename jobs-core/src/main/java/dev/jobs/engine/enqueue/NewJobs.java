package dev.jobs.engine.enqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import dev.jobs.EnqueueOptions;
import dev.jobs.JobRequest;
import dev.jobs.Unique;
import dev.jobs.engine.context.Millis;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.NewJob;
import dev.jobs.store.Tick;
import dev.jobs.store.support.UniqueKeyDigest;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link NewJob} from a request: finds its name, writes its payload, and applies
 * the {@link EnqueueRules} where the request sets nothing.
 */
public final class NewJobs {

	private static final int LONGEST_HEADERS = 16 * 1024;

	private final HandlerRegistry registry;

	private final PayloadSerializer serializer;

	private final EnqueueRules rules;

	private final int maxPayloadBytes;

	private final StoreClock clock;

	private final JobIds ids = new JobIds();

	private final PayloadLanes lanes = new PayloadLanes();

	public NewJobs(HandlerRegistry registry, PayloadSerializer serializer, EnqueueRules rules, int maxPayloadBytes,
			StoreClock clock) {
		this.registry = registry;
		this.serializer = serializer;
		this.rules = rules;
		this.maxPayloadBytes = maxPayloadBytes;
		this.clock = clock;
	}

	public HandlerRegistry registry() {
		return this.registry;
	}

	/**
	 * Return whether this process has a handler for a name.
	 */
	boolean isHandled(String name) {
		return this.registry.find(name) != null;
	}

	/**
	 * Return the job name of a request.
	 * @return its name, or the name of its payload's type
	 */
	String nameOf(JobRequest request) {
		if (request.getName() != null) {
			return HandlerDefinition.requireValidName(request.getName());
		}
		Object payload = request.getPayload();
		if (payload == null) {
			throw new IllegalArgumentException("A job needs a name, or a payload whose type has one");
		}
		return this.registry.nameOf(payload.getClass());
	}

	/**
	 * Return how long an enqueue waits while the queue is full.
	 * @param request the request
	 * @param name its job name
	 * @return the time; zero if it does not wait
	 */
	public Duration waitForRoom(JobRequest request, String name) {
		return Objects.requireNonNullElse(options(request, name).getWaitForRoom(), Duration.ZERO);
	}

	/**
	 * Make the job.
	 * @param request the request
	 * @param now the current time
	 * @throws IllegalArgumentException if a part of the request is not valid
	 * @throws PayloadException if the payload cannot be written, is too large, or cannot
	 * be read by the handler, which is here
	 */
	NewJob make(JobRequest request, Instant now) {
		if (request.getName() != null) {
			requirePayload(request.getName(), request.getPayload());
		}
		NewJob job = made(request, now);
		requireReadable(job.name(), request.getPayload(), job.payload());
		return job;
	}

	/**
	 * Write a new payload for a stored job.
	 * @param name the name of the job
	 * @param payload the payload, or {@code null} for none
	 * @return its bytes
	 * @throws IllegalArgumentException as for a new job
	 * @throws PayloadException as for a new job
	 */
	public byte[] payload(String name, @Nullable Object payload) {
		requirePayload(name, payload);
		byte[] written = written(name, payload);
		requireReadable(name, payload, written);
		return written;
	}

	/**
	 * Another process that does not know the handler may still enqueue such a job.
	 */
	private void requirePayload(String name, @Nullable Object payload) {
		Registered registered = (payload == null) ? this.registry.find(name) : null;
		if (registered != null && registered.definition().payloadNeeded()) {
			throw new IllegalArgumentException(
					"Job '" + name + "' needs a payload, which its handler takes: " + registered.definition().origin());
		}
	}

	/**
	 * A payload of the handler's type need not be read, and another program may have
	 * written bytes.
	 */
	private void requireReadable(String name, @Nullable Object payload, byte[] written) {
		Registered registered = this.registry.find(name);
		if (payload == null || payload instanceof byte[] || registered == null || registered.takes(payload)) {
			return;
		}
		try {
			registered.reader().read(written);
		}
		catch (PayloadException ex) {
			throw new PayloadException(
					"Job '%s': %s, which runs it, does not take a payload of %s. %s".formatted(name,
							registered.definition().origin(), payload.getClass().getTypeName(), ex.getMessage()),
					ex.getCause());
		}
	}

	private NewJob made(JobRequest request, Instant now) {
		String name = nameOf(request);
		EnqueueOptions options = options(request, name);
		byte[] payload = written(name, request.getPayload());
		requireStorable(options.getHeaders());
		Unique unique = options.getUnique();
		Instant dueAt = dueAt(options, now);
		return NewJob.of(this.ids.next(name, now), name, payload, now)
			.withHeaders(options.headersOfJob(now, dueAt))
			.withDueAt(dueAt)
			.withUniqueKey((unique != null) ? key(unique, name, request.getPayload(), now) : null)
			.withMaxWaiting(Objects.requireNonNullElse(options.getMaxWaiting(), 0))
			.withMaxInLane(Objects.requireNonNullElse(options.getMaxWaitingInLane(), 0));
	}

	/**
	 * Write a request so that any process can enqueue it later: by name, with its payload
	 * as bytes and with the rules of this process. Equal payloads are equal bytes.
	 * @throws IllegalArgumentException as for a new job
	 * @throws PayloadException as for a new job
	 */
	public JobRequest written(JobRequest request, Instant now) {
		NewJob job = make(request, now);
		EnqueueOptions options = options(request, job.name());
		Unique unique = options.getUnique();
		byte[] payload = this.serializer.canonical(request.getPayload(), this.maxPayloadBytes);
		return JobRequest.named(job.name()).payload(payload).options((set) -> {
			options.getHeaders().forEach(set::header);
			if (unique != null) {
				set.unique(unique);
			}
			else if (options.isNotUnique()) {
				set.notUnique();
			}
			if (options.getDelay() != null) {
				set.delay(options.getDelay());
			}
			set.maxWaiting(job.maxWaiting()).maxWaitingInLane(job.maxInLane());
		});
	}

	/**
	 * Return which bounds may refuse a request, as the end of a message.
	 */
	String bounds(JobRequest request, String name) {
		EnqueueOptions options = options(request, name);
		int most = Objects.requireNonNullElse(options.getMaxWaiting(), 0);
		int inLane = (options.getLane() != null) ? Objects.requireNonNullElse(options.getMaxWaitingInLane(), 0) : 0;
		String ofQueue = (most > 0) ? "as many jobs wait as its max-waiting allows, which is " + most : "";
		String ofLane = (inLane > 0) ? "as many jobs of the lane '%s' wait as lanes.max-waiting allows, which is %d"
			.formatted(options.getLane(), inLane) : "";
		return ofQueue + ((ofQueue.isEmpty() || ofLane.isEmpty()) ? "" : ", or ") + ofLane;
	}

	/**
	 * Make the job of a schedule's tick, which has the same id in every process.
	 */
	NewJob make(JobRequest request, Tick tick, Instant now) {
		return made(request, now)
			.withId(this.ids.forTick(tick.schedule().queue(), tick.schedule().name(), tick.instant()));
	}

	private Instant dueAt(EnqueueOptions options, Instant now) {
		Instant dueAt = now;
		if (options.getAt() != null) {
			dueAt = Millis.roundUp(options.getAt());
		}
		else if (options.getDelay() != null) {
			dueAt = this.clock.due(now, options.getDelay());
		}
		return dueAt.isAfter(now) ? dueAt : now;
	}

	private NewJob.UniqueKey key(Unique unique, String name, @Nullable Object payload, Instant now) {
		String digest = (unique.getKey() != null) ? UniqueKeyDigest.of(unique.getScope(), name, unique.getKey())
				: UniqueKeyDigest.ofPayload(unique.getScope(), name,
						written(name, () -> this.serializer.canonical(payload, this.maxPayloadBytes)));
		Instant until = (unique.getWindow() != null) ? Millis.later(now, unique.getWindow()) : null;
		return new NewJob.UniqueKey(digest, unique.getMode(), unique.getScope(), until, unique.getOnDuplicate());
	}

	private byte[] written(String name, @Nullable Object payload) {
		return written(name, () -> this.serializer.write(payload, this.maxPayloadBytes));
	}

	private static byte[] written(String name, Supplier<byte[]> writing) {
		try {
			return writing.get();
		}
		catch (PayloadException ex) {
			throw new PayloadException("Job '" + name + "': " + ex.getMessage(), ex.getCause());
		}
	}

	private static void requireStorable(Map<String, String> headers) {
		int length = headers.entrySet()
			.stream()
			.mapToInt((header) -> header.getKey().length() + header.getValue().length())
			.sum();
		if (length > LONGEST_HEADERS) {
			throw new IllegalArgumentException(
					"The headers have %d characters; %d are allowed".formatted(length, LONGEST_HEADERS));
		}
		headers.forEach((name, value) -> {
			if (hasControl(name) || hasControl(value)) {
				throw new IllegalArgumentException(
						"The header '%s' contains a control character".formatted(name.replaceAll("\\p{Cntrl}", "?")));
			}
		});
	}

	private static boolean hasControl(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (Character.isISOControl(text.charAt(i))) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return the options of a request, completed by what holds for all enqueues of its
	 * name.
	 */
	private EnqueueOptions options(JobRequest request, String name) {
		Object payload = request.getPayload();
		Registered registered = this.registry.find(name);
		EnqueueOptions options = request.getOptions()
			.orElse(this.rules.of(name, (payload != null) ? payload.getClass() : null,
					(registered != null) ? registered.definition() : null));
		String lane = (options.getLane() == null) ? this.lanes.of(payload) : null;
		return (lane != null) ? options.with((joined) -> joined.lane(lane)) : options;
	}

}
