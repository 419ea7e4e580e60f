package dev.jobs.autoconfigure.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.JobHandler;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.util.ClassUtils;

/**
 * Finds the bean methods with a {@link JobHandler} annotation. Beans are inspected by
 * their type and not created.
 */
public final class JobHandlerRegistrar
		implements SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	private static final Logger logger = LoggerFactory.getLogger(JobHandlerRegistrar.class);

	private static final Set<String> SCOPES_OF_THE_WEB = Set.of("request", "session");

	private final ConfigurableListableBeanFactory beanFactory;

	private final JobsProperties properties;

	private final HandlerResolver resolver;

	private final List<HandlerCustomizer> customizers;

	private @Nullable Set<Found> registered;

	private volatile @Nullable FoundHandlers latest;

	/**
	 * Create a registrar.
	 * @param beanFactory the beans of the application
	 * @param properties the properties
	 * @param customizers the customizers of handlers
	 */
	public JobHandlerRegistrar(ConfigurableListableBeanFactory beanFactory, JobsProperties properties,
			List<HandlerCustomizer> customizers) {
		this.beanFactory = beanFactory;
		this.properties = properties;
		this.resolver = new HandlerResolver(beanFactory, properties);
		this.customizers = customizers;
	}

	/**
	 * Find the handlers of the application.
	 * @return the handlers, and the mistakes of those that cannot work
	 */
	public FoundHandlers find() {
		Map<Candidate, JobHandler> candidates = candidates();
		List<DeclaredHandler> handlers = new ArrayList<>();
		List<FoundHandlers.Faulty> faulty = new ArrayList<>();
		List<String> doubts = new ArrayList<>();
		candidates.forEach((candidate, annotation) -> {
			try {
				DeclaredHandler handler = handler(candidate, annotation);
				handlers.add(handler);
				doubts.addAll(doubts(candidate, annotation, handler));
			}
			catch (InvalidJobsConfigurationException ex) {
				faulty.add(new FoundHandlers.Faulty(name(candidate, annotation), ex));
			}
		});
		this.registered = found(candidates);
		FoundHandlers found = new FoundHandlers(handlers, faulty, doubts);
		this.latest = found;
		return found;
	}

	/**
	 * Return the handlers of the application without finding them again.
	 * @return the handlers
	 */
	public List<DeclaredHandler> handlers() {
		FoundHandlers latest = this.latest;
		return ((latest != null) ? latest : find()).handlers();
	}

	private String name(Candidate candidate, JobHandler annotation) {
		try {
			return this.resolver.name(HandlerMethod.of(candidate.type(), candidate.method()), annotation);
		}
		catch (IllegalArgumentException | InvalidJobsConfigurationException ex) {
			return annotation.value();
		}
	}

	/**
	 * Make sure that no handler was overlooked because the engine was built before the
	 * bean's class was known.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		Set<Found> registered = this.registered;
		if (registered == null) {
			return;
		}
		candidates().forEach((candidate, annotation) -> {
			if (!registered.contains(new Found(candidate.beanName(), annotation))) {
				throw foundTooLate(candidate);
			}
		});
	}

	/**
	 * Warn of handlers in child contexts, which this context's engine does not know.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext()
			.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory beans
				&& beans != this.beanFactory) {
			List<String> handlers = new JobHandlerRegistrar(beans, this.properties, List.of()).candidates()
				.keySet()
				.stream()
				.map((candidate) -> HandlerMethod.signature(candidate.type(), candidate.method()))
				.toList();
			if (!handlers.isEmpty()) {
				logger.warn(
						"These job handlers run no jobs, since they are in the child context '{}', and Jobs is in "
								+ "its parent: {}. Declare their beans in the parent",
						event.getApplicationContext().getId(), String.join(", ", handlers));
			}
		}
	}

	private static InvalidJobsConfigurationException foundTooLate(Candidate candidate) {
		return new InvalidJobsConfigurationException(
				"The job handler " + HandlerMethod.of(candidate.type(), candidate.method()).signature()
						+ " was found too late: the type of bean '" + candidate.beanName()
						+ "' did not reveal its class when the job engine was built.",
				"Declare the class instead of an interface as the return type of the @Bean method, or inject a "
						+ "JobClient where a JobEngine is injected.");
	}

	private static Set<Found> found(Map<Candidate, JobHandler> candidates) {
		Set<Found> found = new HashSet<>();
		candidates.forEach((candidate, annotation) -> found.add(new Found(candidate.beanName(), annotation)));
		return found;
	}

	private DeclaredHandler handler(Candidate candidate, JobHandler annotation) {
		HandlerMethod method = HandlerMethod.of(candidate.type(), candidate.method());
		requireSynchronous(candidate, method);
		requireInvocable(candidate, method);
		DeclaredHandler declared = this.resolver.resolve(method, annotation,
				new BeanMethodHandler(this.beanFactory, candidate.beanName(), method),
				method.signature() + " of bean '" + candidate.beanName() + "'");
		HandlerDefinition resolved = declared.definition();
		HandlerDefinition definition = resolved.with(resolved.options()
			.with((options) -> this.customizers
				.forEach((customizer) -> customizer.customize(resolved.name(), options))));
		requireValidRules(method);
		if (declared.enabled()) {
			requireReadable(definition);
		}
		return new DeclaredHandler(definition, declared.recurringJob(), declared.settings(), declared.set(), method);
	}

	private static void requireValidRules(HandlerMethod method) {
		Class<?> payload = method.payloadClass();
		try {
			if (payload != null) {
				EnqueueRules.ofType(payload);
			}
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidJobsConfigurationException(String.valueOf(ex.getMessage()), "Correct the annotation.", ex);
		}
	}

	/**
	 * Return a likely mistake of a handler that works anyway.
	 */
	private List<String> doubts(Candidate candidate, JobHandler annotation, DeclaredHandler handler) {
		List<String> doubts = new ArrayList<>();
		String signature = handler.method().signature();
		if (annotation.cron().isEmpty() && handler.settings().cron() == null) {
			handler.set()
				.stream()
				.filter((option) -> option.place() != SetOption.Place.DEFAULTS
						&& (option.name().equals("zone") || option.name().equals("misfire")))
				.forEach((option) -> doubts.add((option.place() == SetOption.Place.PROPERTY)
						? option.origin() + " has no effect, since the handler has no cron expression"
						: "'" + option.name() + "' of the @JobHandler on " + signature
								+ " has no effect without 'cron'"));
		}
		if (AnnotatedElementUtils.hasAnnotation(candidate.method(), Scheduled.class)
				|| AnnotatedElementUtils.hasAnnotation(candidate.method(), Schedules.class)) {
			doubts.add("The job handler " + signature + " is @Scheduled too, so each process also calls it directly, "
					+ "without a job. Remove @Scheduled, and set 'cron' in the @JobHandler");
		}
		String scope = scope(candidate.beanName());
		if (SCOPES_OF_THE_WEB.contains(scope)) {
			doubts.add("The job handler " + signature + " is of bean '" + candidate.beanName()
					+ "', which has the scope '" + scope
					+ "', and a job has none: its runs will fail. Move the method to a bean without this scope");
		}
		return doubts;
	}

	private String scope(String beanName) {
		String target = ScopedProxyUtils.getTargetBeanName(beanName);
		String scoped = this.beanFactory.containsBeanDefinition(target) ? target : beanName;
		String scope = this.beanFactory.containsBeanDefinition(scoped)
				? this.beanFactory.getMergedBeanDefinition(scoped).getScope() : null;
		return (scope != null) ? scope : "";
	}

	private void requireReadable(HandlerDefinition definition) {
		if (definition.payloadType() == Object.class) {
			throw new InvalidJobsConfigurationException(
					"The job handler '%s' (%s) takes an Object, which does not say what its payload is to be read as."
						.formatted(definition.name(), definition.origin()),
					"Let it take the type that is enqueued, or a Map or JobArgs for any JSON object.");
		}
		try {
			this.beanFactory.getBean(PayloadSerializer.class).reader(definition.payloadType());
		}
		catch (PayloadException ex) {
			throw new InvalidJobsConfigurationException(
					"The job handler '%s' (%s) cannot get its payload. %s.".formatted(definition.name(),
							definition.origin(), ex.getMessage()),
					"Change the type as described, or let the handler take JobArgs.", ex);
		}
	}

	private static void requireSynchronous(Candidate candidate, HandlerMethod method) {
		if (AnnotatedElementUtils.hasAnnotation(candidate.method(), Async.class)
				|| AnnotatedElementUtils.hasAnnotation(candidate.type(), Async.class)) {
			throw new InvalidJobsConfigurationException(
					"The job handler method " + method.signature() + " is @Async, so every job would count as done "
							+ "before its work is, and would neither be retried nor timed out nor cancelled.",
					"Remove @Async from the method or its class; handlers run in the background anyway.");
		}
	}

	private void requireInvocable(Candidate candidate, HandlerMethod method) {
		Class<?> beanType = this.beanFactory.getType(candidate.beanName(), false);
		if (beanType == null || !SpringProxy.class.isAssignableFrom(beanType)) {
			return;
		}
		if (!Proxy.isProxyClass(beanType) && Modifier.isFinal(candidate.method().getModifiers())) {
			throw new InvalidJobsConfigurationException("The job handler method " + method.signature()
					+ " is final, so the proxy of bean '" + candidate.beanName() + "' cannot pass the call on.",
					"Remove 'final' from the method.");
		}
		try {
			AopUtils.selectInvocableMethod(candidate.method(), beanType);
		}
		catch (IllegalStateException ex) {
			throw new InvalidJobsConfigurationException(
					"The job handler method " + method.signature() + " cannot be called on the proxy of bean '"
							+ candidate.beanName() + "': " + ex.getMessage(),
					"Declare the method in an interface of the class, or let the bean be proxied by its class "
							+ "(proxyTargetClass = true).",
					ex);
		}
	}

	private Map<Candidate, JobHandler> candidates() {
		Map<Candidate, JobHandler> candidates = new LinkedHashMap<>();
		for (String beanName : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Class<?> type = ScopedProxyUtils.isScopedTarget(beanName) ? null : type(beanName);
			if (type != null && AnnotationUtils.isCandidateClass(type, JobHandler.class)) {
				annotatedMethods(beanName, type)
					.forEach((method, annotation) -> candidates.put(new Candidate(beanName, type, method), annotation));
			}
		}
		return candidates;
	}

	private @Nullable Class<?> type(String beanName) {
		try {
			String scopedTarget = ScopedProxyUtils.getTargetBeanName(beanName);
			Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory,
					this.beanFactory.containsBean(scopedTarget) ? scopedTarget : beanName);
			return (type != null) ? ClassUtils.getUserClass(type) : null;
		}
		catch (Exception | LinkageError ex) {
			logger.debug("The class of bean '{}' cannot be determined", beanName, ErrorText.loggable(ex));
			return null;
		}
	}

	private static Map<Method, JobHandler> annotatedMethods(String beanName, Class<?> type) {
		try {
			MethodIntrospector.MetadataLookup<JobHandler> lookup = (method) -> AnnotatedElementUtils
				.findMergedAnnotation(method, JobHandler.class);
			return MethodIntrospector.selectMethods(type, lookup);
		}
		catch (IllegalStateException | LinkageError ex) {
			logger.debug("The methods of bean '{}' cannot be determined", beanName, ErrorText.loggable(ex));
			return Map.of();
		}
	}

	/**
	 * A method with the annotation.
	 *
	 * @param beanName the bean's name
	 * @param type the bean's class, without any proxy
	 * @param method the method
	 */
	private record Candidate(String beanName, Class<?> type, Method method) {

	}

	/**
	 * Identifies a handler, even when the bean turns out to have a more specific class
	 * than was known at first.
	 *
	 * @param beanName the bean's name
	 * @param annotation the annotation on the method
	 */
	private record Found(String beanName, JobHandler annotation) {

	}

}
