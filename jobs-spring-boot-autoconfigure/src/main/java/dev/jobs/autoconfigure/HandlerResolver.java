package dev.jobs.autoconfigure;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.Handler;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.OnException;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;
import dev.jobs.autoconfigure.JobsProperties.BackoffOptions;
import dev.jobs.autoconfigure.JobsProperties.BackoffType;
import dev.jobs.autoconfigure.JobsProperties.Options;
import dev.jobs.autoconfigure.JobsProperties.UniqueMode;
import dev.jobs.autoconfigure.JobsProperties.UniqueOptions;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.settings.EnqueueRule;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.HandlerOptions;
import dev.jobs.engine.settings.Uniqueness;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Settles how a handler is run. What is said under {@code jobs.handlers.<name>} comes
 * first, then the annotation, then {@code jobs.defaults}, then what is built in.
 */
class HandlerResolver {

	private static final UniqueOptions NO_UNIQUE_OPTIONS = new UniqueOptions(null, null, null, null);

	private static final BackoffOptions NO_BACKOFF_OPTIONS = new BackoffOptions(null, null, null, null, null, null);

	private static final JobsProperties.Handler NO_HANDLER_OPTIONS = new JobsProperties.Handler(true, null, null, null,
			null, null, null, null, null, null, null, null, null, null, null, null, null, null, NO_BACKOFF_OPTIONS,
			NO_UNIQUE_OPTIONS, null);

	private final ConfigurableBeanFactory beanFactory;

	private final JobsProperties properties;

	HandlerResolver(ConfigurableBeanFactory beanFactory, JobsProperties properties) {
		this.beanFactory = beanFactory;
		this.properties = properties;
	}

	/**
	 * Resolve a handler.
	 * @param method the method that runs the jobs
	 * @param annotation the annotation on it
	 * @param handler calls the method
	 * @param origin where the handler comes from, for messages
	 * @return the handler
	 * @throws InvalidJobsConfigurationException if the annotation says what is not
	 * accepted; what properties say has been checked before
	 */
	DeclaredHandler resolve(HandlerMethod method, JobHandler annotation, Handler<?> handler, String origin) {
		try {
			String name = HandlerDefinition.requireValidName(name(method, annotation));
			JobsProperties.Handler configured = this.properties.handlers().getOrDefault(name, NO_HANDLER_OPTIONS);
			Layers layers = new Layers(configured.options(), options(method.method(), annotation),
					this.properties.defaults());
			HandlerDefinition definition = new HandlerDefinition(name, aliases(name, method, annotation, configured),
					method.payloadType(), handler, handlerOptions(name, method, layers),
					rule(layers.annotation()).or(rule(layers.defaults())).withTags(tags(annotation)), origin);
			return new DeclaredHandler(definition, recurringJob(name, method, annotation, configured, layers),
					configured.enabled(), method);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidJobsConfigurationException(
					"The @JobHandler on " + method.signature() + " is not valid: " + ex.getMessage(),
					"Correct the annotation, or override the value under jobs.handlers.<name>.", ex);
		}
	}

	/**
	 * Return what properties say about enqueueing a job.
	 */
	static EnqueueRule rule(Options options) {
		return new EnqueueRule(uniqueness(options.unique()), options.maxWaiting(), options.waitForRoom(), List.of());
	}

	private static @Nullable Uniqueness uniqueness(UniqueOptions options) {
		if (options.equals(NO_UNIQUE_OPTIONS)) {
			return null;
		}
		if (options.mode() == UniqueMode.NONE) {
			return Uniqueness.NONE;
		}
		Unique.Mode mode = (options.mode() != null) ? Unique.Mode.valueOf(options.mode().name())
				: Unique.Mode.UNTIL_DONE;
		return new Uniqueness(Unique.byPayload()
			.mode(mode)
			.scope((options.scope() != null) ? options.scope() : Unique.Scope.HANDLER)
			.window(positiveOrNull(options.window()))
			.onDuplicate((options.onDuplicate() != null) ? options.onDuplicate() : Unique.OnDuplicate.KEEP));
	}

	/**
	 * Return the name of the jobs that a method handles.
	 * @throws IllegalArgumentException if there is none
	 */
	String name(HandlerMethod method, JobHandler annotation) {
		String name = text(annotation.value());
		if (!name.isEmpty()) {
			return name;
		}
		JobType type = method.jobType();
		if (type == null) {
			throw new IllegalArgumentException(
					"it gives no name, and there is no payload whose type has one by @JobType");
		}
		return type.value();
	}

	private List<String> aliases(String name, HandlerMethod method, JobHandler annotation,
			JobsProperties.Handler configured) {
		if (configured.aliases() != null) {
			return configured.aliases();
		}
		Set<String> aliases = new LinkedHashSet<>();
		Arrays.stream(annotation.aliases()).map(this::text).filter((alias) -> !alias.isEmpty()).forEach(aliases::add);
		JobType type = method.jobType();
		if (type != null && type.value().equals(name)) {
			aliases.addAll(List.of(type.aliases()));
		}
		return List.copyOf(aliases);
	}

	private List<String> tags(JobHandler annotation) {
		return Arrays.stream(annotation.tags()).map(this::text).filter((tag) -> !tag.isEmpty()).toList();
	}

	private HandlerOptions handlerOptions(String name, HandlerMethod method, Layers layers) {
		HandlerOptions builtIn = HandlerOptions.defaults();
		return builtIn.priority(layers.first(Options::priority, builtIn.getPriority()))
			.retryPolicy(retryPolicy(name, method, layers))
			.timeout(positiveOrNull(layers.first(Options::timeout, Duration.ZERO)))
			.maxConcurrency(layers.first(Options::maxConcurrency, builtIn.getMaxConcurrency()))
			.localConcurrency(layers.first(Options::localConcurrency, builtIn.getLocalConcurrency()))
			.keepHistory(layers.first(Options::keepHistory, builtIn.isKeepHistory()))
			.transactional(layers.first(Options::transactional, builtIn.isTransactional()));
	}

	private RetryPolicy retryPolicy(String name, HandlerMethod method, Layers layers) {
		RetryPolicy builtIn = RetryPolicy.defaults();
		BackoffChoice backoff = new BackoffChoice(List.of(
				new BackoffChoice.Layer("The property jobs." + PropertyCheck.path("handlers", name) + ".backoff.bean",
						layers.configured().backoff()),
				new BackoffChoice.Layer("The @JobHandler on " + method.signature(), layers.annotation().backoff()),
				new BackoffChoice.Layer("The property jobs.defaults.backoff.bean", layers.defaults().backoff())));
		List<Class<? extends Throwable>> noRetryFor = layers.first(Options::noRetryFor, List.of());
		boolean skipDead = layers.first(Options::skipDead, !builtIn.isKeepDead());
		OnException onException = layers.first(Options::onException, builtIn.getOnException());
		return builtIn.maxAttempts(layers.first(Options::maxAttempts, builtIn.getMaxAttempts()))
			.backoff(backoff.make(this::backoffBean))
			.keepDead(!skipDead)
			.onException(onException)
			.noRetryFor((ex) -> noRetryFor.stream().anyMatch((type) -> type.isInstance(ex)))
			.maxCrashes(layers.first(Options::maxCrashes, builtIn.getMaxCrashes()))
			.snoozeDelay(layers.first(Options::snoozeDelay, builtIn.getSnoozeDelay()));
	}

	private Backoff backoffBean(String origin, String name) {
		if (!this.beanFactory.containsBean(name) || !this.beanFactory.isTypeMatch(name, Backoff.class)) {
			throw new InvalidJobsConfigurationException(origin + " names the backoff bean '" + name
					+ "', but there is no such bean of type " + Backoff.class.getName() + ".",
					"Define the bean, or correct its name.");
		}
		return this.beanFactory.getBean(name, Backoff.class);
	}

	private @Nullable RecurringJob recurringJob(String name, HandlerMethod method, JobHandler annotation,
			JobsProperties.Handler configured, Layers layers) {
		String cron = (configured.cron() != null) ? configured.cron() : text(annotation.cron());
		if (Recurrence.isDisabled(cron)) {
			return null;
		}
		if (method.needsPayload()) {
			throw new IllegalArgumentException("its cron expression enqueues jobs without a payload, but it takes one. "
					+ "Instead of 'cron', set jobs." + PropertyCheck.path("schedules", name) + ".cron and .payload, "
					+ "take no payload, or declare it @Nullable");
		}
		Misfire misfire = Misfire.parse(layers.first(Options::misfire, "run-once"));
		return new RecurringJob(name, Recurrence.schedule(cron, layers.first(Options::zone, ZoneId.of("UTC"))), name,
				null, misfire);
	}

	/**
	 * Return what the annotation says, leaving out what is as by default.
	 */
	private Options options(Method method, JobHandler annotation) {
		JobHandler.Retry retry = annotation.retry();
		String zone = text(annotation.zone());
		String misfire = text(annotation.misfire());
		return new Options(unless(1, annotation.priority()), unless(0, annotation.maxAttempts()),
				duration("timeout", annotation.timeout(), ""), unless(0, annotation.maxConcurrency()),
				unless(0, annotation.localConcurrency()), unless(0, annotation.maxWaiting()), null, null,
				unless(false, retry.skipDead()), null, null, null,
				(retry.notFor().length > 0) ? List.of(retry.notFor()) : null, backoff(retry), unique(method),
				(zone.isEmpty() || zone.equals("UTC")) ? null : Recurrence.zone(zone),
				(misfire.isEmpty() || misfire.equals("run-once")) ? null : Misfire.parse(misfire).toString(),
				unless(false, annotation.transactional()));
	}

	private BackoffOptions backoff(JobHandler.Retry retry) {
		return new BackoffOptions(type(text(retry.type())), duration("delay", retry.delay(), "5s"),
				duration("maxDelay", retry.maxDelay(), "1d"), unless(2.0, retry.multiplier()),
				unless(0.0, retry.jitter()), text(retry.backoffBean()));
	}

	private static @Nullable BackoffType type(String text) {
		if (text.isEmpty()) {
			return null;
		}
		return Stream.of(BackoffType.values())
			.filter((type) -> type.name().equalsIgnoreCase(text))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"'type' of the retry must be polynomial, fixed or exponential but was \""
							+ text.toLowerCase(Locale.ROOT) + "\""));
	}

	private UniqueOptions unique(Method method) {
		UniqueJob unique = AnnotatedElementUtils.findMergedAnnotation(method, UniqueJob.class);
		return (unique == null) ? NO_UNIQUE_OPTIONS : new UniqueOptions(UniqueMode.valueOf(unique.value().name()),
				unique.scope(), duration("window", unique.window(), ""), unique.onDuplicate());
	}

	private @Nullable Duration duration(String attribute, String value, String byDefault) {
		String text = text(value);
		if (text.isEmpty() || text.equals(byDefault)) {
			return null;
		}
		try {
			Duration duration = DurationFormatterUtils.detectAndParse(text);
			if (!duration.isNegative()) {
				return duration;
			}
		}
		catch (IllegalArgumentException ex) {
			// Reported below, like a duration that is negative.
		}
		throw new IllegalArgumentException(
				"'" + attribute + "' must be a duration such as 30s, 5m or PT1H but was \"" + text + "\"");
	}

	private String text(String value) {
		return Objects.requireNonNullElse(this.beanFactory.resolveEmbeddedValue(value), "").strip();
	}

	private static <T> @Nullable T unless(T byDefault, T value) {
		return value.equals(byDefault) ? null : value;
	}

	private static @Nullable Duration positiveOrNull(@Nullable Duration duration) {
		return (duration != null && duration.isZero()) ? null : duration;
	}

	/**
	 * What is said about a handler, the strongest first.
	 *
	 * @param configured what the properties say about this one
	 * @param annotation what its annotation says
	 * @param defaults what the properties say about all
	 */
	private record Layers(Options configured, Options annotation, Options defaults) {

		<T> T first(Function<Options, @Nullable T> property, T otherwise) {
			return Stream.of(this.configured, this.annotation, this.defaults)
				.flatMap((options) -> Stream.ofNullable(property.apply(options)))
				.findFirst()
				.orElse(otherwise);
		}

	}

}
