package dev.jobs.engine.enqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;

import dev.jobs.EnqueueOptions;
import dev.jobs.JobRequest;
import dev.jobs.Unique;
import dev.jobs.engine.context.Millis;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.settings.EnqueueRule;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.NewJob;
import dev.jobs.store.Tick;
import dev.jobs.store.support.KeyDigest;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link NewJob} of a request: finds its name, writes its payload, and applies
 * the {@link EnqueueRules} where the request itself says nothing.
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
	 * Return whether there is a handler here for the jobs of a name.
	 */
	boolean isHandled(String name) {
		return this.registry.find(name) != null;
	}

	/**
	 * Return the job name of a request.
	 * @return its name, or that of its payload's type
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
		Duration wait = request.getOptions().getWaitForRoom();
		Duration ruled = (wait != null) ? wait : rule(request, name).waitForRoom();
		return (ruled != null) ? ruled : Duration.ZERO;
	}

	/**
	 * Make the job.
	 * @param request the request
	 * @param now the current time
	 * @throws IllegalArgumentException if something of the request is not valid
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
	 * Write a payload for a job that is stored already.
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
	 * Another process, which does not know the handler, may still enqueue such a job.
	 */
	private void requirePayload(String name, @Nullable Object payload) {
		Registered registered = (payload == null) ? this.registry.find(name) : null;
		if (registered != null && registered.definition().payloadNeeded()) {
			throw new IllegalArgumentException(
					"Job '" + name + "' needs a payload, which its handler takes: " + registered.definition().origin());
		}
	}

	/**
	 * A payload of the handler's type is not read, and bytes are as another program has
	 * written them.
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
		EnqueueRule rule = rule(request, name);
		EnqueueOptions options = options(request.getOptions(), rule, this.lanes.of(request.getPayload()));
		byte[] payload = written(name, request.getPayload());
		requireStorable(options.getHeaders());
		Unique unique = (options.getUnique() != null) ? options.getUnique() : rule.unique();
		return new NewJob(this.ids.next(name, now), name, payload, options.getHeaders(), now, dueAt(options, now),
				(unique != null) ? key(unique, name, request.getPayload(), now) : null, maxWaiting(request, name));
	}

	private static EnqueueOptions options(EnqueueOptions options, EnqueueRule rule, @Nullable String lane) {
		String joined = (options.getLane() == null) ? lane : null;
		return (rule.tags().isEmpty() && joined == null) ? options : options.with((changed) -> {
			changed.tags(rule.tags());
			if (joined != null) {
				changed.lane(joined);
			}
		});
	}

	/**
	 * Write a request so that any process can enqueue it later: by its name, with its
	 * payload as bytes and the rules that hold here. A payload that is its own unique key
	 * is written as that.
	 * @throws IllegalArgumentException as for a new job
	 * @throws PayloadException as for a new job
	 */
	public JobRequest written(JobRequest request, Instant now) {
		NewJob job = make(request, now);
		EnqueueOptions options = request.getOptions();
		EnqueueRule rule = rule(request, job.name());
		Unique unique = (options.getUnique() != null) ? options.getUnique() : rule.unique();
		byte[] payload = (unique != null && unique.getKey() == null)
				? this.serializer.canonical(request.getPayload(), this.maxPayloadBytes) : job.payload();
		return JobRequest.named(job.name()).payload(payload).options((set) -> {
			job.headers().forEach(set::header);
			if (unique != null) {
				set.unique(unique);
			}
			if (options.getDelay() != null) {
				set.delay(options.getDelay());
			}
			set.maxWaiting(job.maxWaiting());
		});
	}

	/**
	 * Return how many jobs may wait for a request to be taken.
	 * @return the number; 0 for no bound
	 */
	int maxWaiting(JobRequest request, String name) {
		Integer most = request.getOptions().getMaxWaiting();
		Integer ruled = (most != null) ? most : rule(request, name).maxWaiting();
		return (ruled != null) ? ruled : 0;
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

	private NewJob.Key key(Unique unique, String name, @Nullable Object payload, Instant now) {
		String digest = (unique.getKey() != null) ? KeyDigest.of(unique.getScope(), name, unique.getKey())
				: KeyDigest.ofPayload(unique.getScope(), name,
						written(name, () -> this.serializer.canonical(payload, this.maxPayloadBytes)));
		Instant until = (unique.getWindow() != null) ? Millis.later(now, unique.getWindow()) : null;
		return new NewJob.Key(digest, unique.getMode(), unique.getScope(), until, unique.getOnDuplicate());
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

	private EnqueueRule rule(JobRequest request, String name) {
		Object payload = request.getPayload();
		Registered registered = this.registry.find(name);
		return this.rules.of(name, (payload != null) ? payload.getClass() : null,
				(registered != null) ? registered.definition() : null);
	}

}
