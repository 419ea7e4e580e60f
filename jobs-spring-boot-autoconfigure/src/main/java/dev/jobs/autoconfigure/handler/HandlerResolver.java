package dev.jobs.autoconfigure.handler;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

import dev.jobs.Backoff;
import dev.jobs.Handler;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.autoconfigure.properties.AnnotationReader;
import dev.jobs.autoconfigure.properties.HandlerSettings.BackoffSettings;
import dev.jobs.autoconfigure.properties.HandlerSettings;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.autoconfigure.properties.Recurrence;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.settings.HandlerDefinition;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Determines the options of a handler: first those under {@code jobs.handlers.<name>},
 * then the annotation, then {@code jobs.defaults}, then the built-in defaults.
 */
class HandlerResolver {

	private final ConfigurableBeanFactory beanFactory;

	private final JobsProperties properties;

	private final AnnotationReader annotations = new AnnotationReader(this::text);

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
	 * @throws InvalidJobsConfigurationException if a value of the annotation is not
	 * accepted; properties were checked before
	 */
	DeclaredHandler resolve(HandlerMethod method, JobHandler annotation, Handler<?> handler, String origin) {
		String name = validName(method, annotation);
		try {
			HandlerSettings configured = this.properties.handlers()
				.getOrDefault(name, HandlerSettings.UNSET)
				.accepted();
			Layers layers = new Layers(configured, this.annotations.read(method.method(), annotation,
					method.signature(), configured.values().keySet()), this.properties.defaults().accepted());
			HandlerSettings settings = layers.merged();
			HandlerDefinition definition = new HandlerDefinition(name, aliases(name, method, layers),
					method.payloadType(), method.needsPayload(), handler,
					settings.options(backoff(name, method, layers)), settings.rule(settings), origin);
			return new DeclaredHandler(definition, recurringJob(name, method, layers), settings,
					layers.set(name, method), method);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidJobsConfigurationException(
					"The @JobHandler on " + method.signature() + " is not valid: " + ex.getMessage(),
					"Correct the annotation, or override the value under jobs.handlers.<name>.", ex);
		}
	}

	private String validName(HandlerMethod method, JobHandler annotation) {
		String name = name(method, annotation);
		try {
			return HandlerDefinition.requireValidName(name);
		}
		catch (IllegalArgumentException ex) {
			Class<?> payload = method.payloadClass();
			String place = (text(annotation.value()).isEmpty() && payload != null)
					? "@JobType on " + payload.getTypeName() : "@JobHandler on " + method.signature();
			throw new InvalidJobsConfigurationException("The " + place + " is not valid: " + ex.getMessage(),
					"Correct the name.", ex);
		}
	}

	/**
	 * Return the name of the jobs that a method handles.
	 * @throws InvalidJobsConfigurationException if there is none
	 */
	String name(HandlerMethod method, JobHandler annotation) {
		String name = text(annotation.value());
		if (!name.isEmpty()) {
			return name;
		}
		JobType type = method.jobType();
		if (type == null) {
			throw new InvalidJobsConfigurationException("The @JobHandler on " + method.signature()
					+ " is not valid: it gives no name, and there is no payload whose type has one by @JobType.",
					"Give it a name, @JobHandler(\"send-mail\"), or annotate its payload with @JobType.");
		}
		return type.value();
	}

	/**
	 * Return the former names: those of the properties or, without these, of the
	 * annotation and the payload's type together.
	 */
	private static List<String> aliases(String name, HandlerMethod method, Layers layers) {
		if (layers.configured().aliases() != null) {
			return layers.configured().aliases();
		}
		Set<String> aliases = new LinkedHashSet<>();
		if (layers.annotation().aliases() != null) {
			aliases.addAll(layers.annotation().aliases());
		}
		JobType type = method.jobType();
		if (type != null && type.value().equals(name)) {
			aliases.addAll(List.of(type.aliases()));
		}
		return List.copyOf(aliases);
	}

	private Backoff backoff(String name, HandlerMethod method, Layers layers) {
		BackoffSettings backoff = layers.merged().backoff();
		return Objects.requireNonNullElse(backoff, BackoffSettings.UNSET).backoff((bean) -> {
			if (!this.beanFactory.containsBean(bean) || !this.beanFactory.isTypeMatch(bean, Backoff.class)) {
				throw new InvalidJobsConfigurationException(
						layers.origin(name, method, "backoff.bean", (layer) -> layer.hasBackoffBean(bean))
								+ " names the backoff bean '" + bean + "', but there is no such bean of type "
								+ Backoff.class.getName() + ".",
						"Define the bean, or correct its name.");
			}
			return this.beanFactory.getBean(bean, Backoff.class);
		});
	}

	private static @Nullable RecurringJob recurringJob(String name, HandlerMethod method, Layers layers) {
		HandlerSettings settings = layers.merged();
		Misfire misfire = settings.misfireRule();
		String cron = settings.cron();
		if (cron == null || Recurrence.isDisabled(cron)) {
			return null;
		}
		if (method.needsPayload() && layers.configured().cron() != null) {
			throw new InvalidJobsConfigurationException(
					"The property jobs.%s.cron enqueues jobs without a payload, but the job handler %s takes one."
						.formatted(PropertyCheck.path("handlers", name), method.signature()),
					"Set jobs.%s.cron and .payload instead, let the handler take no payload, or declare it @Nullable."
						.formatted(PropertyCheck.path("schedules", name)));
		}
		if (method.needsPayload()) {
			throw new IllegalArgumentException("its cron expression enqueues jobs without a payload, but it takes one. "
					+ "Instead of 'cron', set jobs." + PropertyCheck.path("schedules", name) + ".cron and .payload, "
					+ "take no payload, or declare it @Nullable");
		}
		return RecurringJob.of(name, Recurrence.schedule(cron, settings.zoneOrUtc()), name).withMisfire(misfire);
	}

	private String text(String value) {
		return Objects.requireNonNullElse(this.beanFactory.resolveEmbeddedValue(value), "").strip();
	}

	/**
	 * The settings of a handler, the strongest first.
	 *
	 * @param configured the properties for this handler
	 * @param annotation its annotation
	 * @param defaults the properties for all handlers
	 */
	private record Layers(HandlerSettings configured, HandlerSettings annotation, HandlerSettings defaults) {

		HandlerSettings merged() {
			return this.configured.over(this.annotation).over(this.defaults);
		}

		/**
		 * Return the effective options, each with the place that sets it.
		 */
		List<SetOption> set(String name, HandlerMethod method) {
			Map<String, Object> configured = this.configured.values();
			Map<String, Object> annotation = this.annotation.values();
			List<SetOption> set = new ArrayList<>();
			merged().values().forEach((option, value) -> {
				if (value.equals(configured.get(option))) {
					set.add(new SetOption(option, value, SetOption.Place.PROPERTY,
							"jobs." + PropertyCheck.path("handlers", name) + "." + option));
				}
				else if (value.equals(annotation.get(option))) {
					set.add(new SetOption(option, value, SetOption.Place.ANNOTATION, method.signature()));
				}
				else {
					set.add(new SetOption(option, value, SetOption.Place.DEFAULTS, "jobs.defaults." + option));
				}
			});
			return List.copyOf(set);
		}

		/**
		 * Return the strongest place that sets an option, for messages.
		 */
		String origin(String name, HandlerMethod method, String property, Predicate<HandlerSettings> set) {
			if (set.test(this.configured)) {
				return "The property jobs." + PropertyCheck.path("handlers", name) + "." + property;
			}
			return set.test(this.annotation) ? "The @JobHandler on " + method.signature()
					: "The property jobs.defaults." + property;
		}

	}

}
