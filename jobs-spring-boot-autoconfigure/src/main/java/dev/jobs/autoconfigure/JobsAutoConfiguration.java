package dev.jobs.autoconfigure;

import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.Enqueued;
import dev.jobs.JobCalendar;
import dev.jobs.JobClient;
import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import dev.jobs.JobRequest;
import dev.jobs.RunInterceptor;
import dev.jobs.autoconfigure.handler.HandlerCustomizer;
import dev.jobs.autoconfigure.handler.JobHandlerRegistrar;
import dev.jobs.autoconfigure.jdbc.JdbcJobStoreConfiguration;
import dev.jobs.autoconfigure.logging.JobLogConfiguration;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.Namespace;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.autoconfigure.redis.RedisJobStoreConfiguration;
import dev.jobs.autoconfigure.transaction.OutboxConfiguration;
import dev.jobs.autoconfigure.transaction.TransactionConfiguration;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.context.LogContext;
import dev.jobs.engine.run.HandlerTransactions;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.json.ValuesAsJson;
import dev.jobs.metrics.JobCounts;
import dev.jobs.operations.JobOperations;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadFormat;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.JobStore;
import dev.jobs.store.Outbox;
import dev.jobs.store.StepMarks;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link AutoConfiguration Auto-configuration} for Jobs.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
		"org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration" })
@ConditionalOnBooleanProperty(name = "jobs.enabled", matchIfMissing = true)
@EnableConfigurationProperties(JobsProperties.class)
@Import({ RedisJobStoreConfiguration.class, JdbcJobStoreConfiguration.class, InMemoryJobStoreConfiguration.class,
		OutboxConfiguration.class, TransactionConfiguration.class, JobLogConfiguration.class })
public final class JobsAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(JobsAutoConfiguration.class);

	/** A mock of a store has no inspector. */
	@Bean
	@ConditionalOnMissingBean
	@Nullable JobInspector jobInspector(JobStore store) {
		JobInspector inspector = store.inspector();
		if (inspector == null) {
			logger.warn("The JobStore bean, a {}, has no JobInspector, so there is neither health nor gauges of jobs. "
					+ "If it is a mock, jobs.store=memory may serve better", store.getClass().getName());
		}
		return inspector;
	}

	/**
	 * The application adds what its types need: modules with their mix-ins, and instances
	 * that annotations name. Its mapper does not decide the format of payloads.
	 */
	@Bean
	@ConditionalOnMissingBean(PayloadSerializer.class)
	JacksonPayloadSerializer jobPayloadSerializer(ObjectProvider<JacksonModule> modules,
			ObjectProvider<JsonMapper> jsonMapper, ResourceLoader resourceLoader) {
		JsonMapper.Builder builder = PayloadFormat.builder().findAndAddModules(resourceLoader.getClassLoader());
		modules.stream().forEach(builder::addModule);
		jsonMapper
			.ifUnique((mapper) -> builder.handlerInstantiator(mapper.serializationConfig().getHandlerInstantiator()));
		return new JacksonPayloadSerializer(builder.build());
	}

	/**
	 * For values that a controller returns.
	 */
	@Bean
	JacksonModule jobsJacksonModule() {
		return new ValuesAsJson();
	}

	@Bean
	Namespace jobNamespace(JobsProperties properties, Environment environment) {
		return Namespace.of(properties.namespace(), environment);
	}

	@Bean
	PropertyCheck jobPropertyCheck(JobsProperties properties, Environment environment,
			ConfigurableListableBeanFactory beanFactory, ObjectProvider<JobHandlerRegistrar> handlers,
			ObjectProvider<PayloadSerializer> serializer) {
		return new PropertyCheck(properties, environment, beanFactory,
				(rejected) -> handlers.getObject().find().mistakes(properties, serializer.getObject(), rejected));
	}

	@Bean
	JobHandlerRegistrar jobHandlerRegistrar(ConfigurableListableBeanFactory beanFactory, JobsProperties properties,
			ObjectProvider<HandlerCustomizer> customizers) {
		return new JobHandlerRegistrar(beanFactory, properties, customizers.orderedStream().toList());
	}

	@Bean(destroyMethod = "closeClient")
	@ConditionalOnMissingBean
	JobEngine jobEngine(JobEngineAssembler assembler, JobsProperties properties, ObjectProvider<InstantSource> clock,
			ObjectProvider<RunInterceptor> runInterceptors, ObjectProvider<EnqueueInterceptor> enqueueInterceptors,
			ObjectProvider<EnqueueGate> enqueueGate, ObjectProvider<JobListener> listeners,
			ObjectProvider<JobEngineCustomizer> customizers, ConfigurableListableBeanFactory beanFactory) {
		JobEngineBuilder builder = assembler.assemble();
		clock.ifUnique((chosen) -> {
			String name = describe(InstantSource.class, chosen, beanFactory);
			warnIfItStandsStill(chosen, name);
			builder.clock(chosen, name);
		});
		builder.runInterceptors(runInterceptors.orderedStream().toList());
		builder.enqueueInterceptors(enqueueInterceptors.orderedStream()
			.map((interceptor) -> (EnqueueInterceptor) new NamedEnqueueInterceptor(interceptor,
					describe(EnqueueInterceptor.class, interceptor, beanFactory)))
			.toList());
		if (properties.transactions() == JobsProperties.Transactions.AFTER_COMMIT) {
			enqueueGate.ifUnique(builder::enqueueGate);
		}
		builder.listeners(listeners.orderedStream()
			.map((listener) -> (JobListener) new NamedListener(listener,
					describe(JobListener.class, listener, beanFactory)))
			.toList());
		builder.calendars(beanFactory.getBeansOfType(JobCalendar.class));
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		try {
			return builder.build();
		}
		catch (PayloadException ex) {
			throw new InvalidJobsConfigurationException(ex.getMessage() + ".",
					"Change the type as described, or let the handler take JobArgs.", ex);
		}
	}

	private static void warnIfItStandsStill(InstantSource source, String name) {
		if (source instanceof Clock clock && clock.equals(Clock.fixed(clock.instant(), clock.getZone()))) {
			logger.warn("The engine's clock, {}, stands still at {}, so no delay, retry or schedule comes due. Use a "
					+ "clock that runs; if this one is for the application alone, declare a JobEngineCustomizer bean "
					+ "with builder.clock(Clock.systemUTC())", name, clock.instant());
		}
	}

	private static <T> String describe(Class<T> seam, T bean, ConfigurableListableBeanFactory beanFactory) {
		String type = bean.getClass().getName();
		return Stream.of(beanFactory.getBeanNamesForType(seam, true, false))
			.filter((name) -> beanFactory.getSingleton(name) == bean)
			.findFirst()
			.map((name) -> "bean '" + name + "'" + (type.contains("$$Lambda") ? "" : " (" + type + ")"))
			.orElse(type);
	}

	/**
	 * An enqueue interceptor with a name for messages, even if it is a lambda.
	 *
	 * @param interceptor the interceptor
	 * @param name its name
	 */
	private record NamedEnqueueInterceptor(EnqueueInterceptor interceptor, String name) implements EnqueueInterceptor {

		@Override
		public List<Enqueued> around(List<JobRequest> requests, Next next) {
			return this.interceptor.around(requests, next);
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	/**
	 * A listener with a name for the log, even if it is a lambda. Its own log lines name
	 * the job, also on threads that work for many jobs.
	 *
	 * @param listener the listener
	 * @param name its name
	 */
	private record NamedListener(JobListener listener, String name) implements JobListener {

		@Override
		public void on(JobEvent event) {
			if (event instanceof JobEvent.OfJob ofJob && !(this.listener instanceof JobCounts)
					&& !LogContext.hasJob()) {
				LogContext.with(ofJob.job(), () -> this.listener.on(event));
			}
			else {
				this.listener.on(event);
			}
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	@Bean
	JobEngineAssembler jobEngineAssembler(PropertyCheck check, JobsProperties properties, Environment environment,
			Namespace namespace, JobStore store, PayloadSerializer serializer, JobHandlerRegistrar registrar,
			ObjectProvider<HandlerTransactions> transactions, ObjectProvider<Outbox> outbox,
			ObjectProvider<StepMarks> marks, ObjectProvider<StoreDecorator> decorators) {
		check.requireValid();
		return new JobEngineAssembler(properties, environment, namespace, store, serializer, registrar, transactions,
				outbox, marks, decorators);
	}

	@Bean
	@ConditionalOnMissingBean(JobClient.class)
	OfEngine<JobClient> jobClient(ObjectProvider<JobEngine> engine) {
		return new OfEngine<>(JobClient.class, SingletonSupplier.of(() -> engine.getObject().client()));
	}

	@Bean
	@ConditionalOnMissingBean(JobOperations.class)
	OfEngine<JobOperations> jobOperations(ObjectProvider<JobEngine> engine) {
		return new OfEngine<>(JobOperations.class, SingletonSupplier.of(() -> engine.getObject().operations()));
	}

	@Bean
	@ConditionalOnBean(value = JobEngine.class, search = SearchStrategy.CURRENT)
	JobEngineLifecycle jobEngineLifecycle(JobEngine engine, JobsProperties properties, Environment environment) {
		Duration timeoutPerPhase = Binder.get(environment)
			.bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
			.orElse(Duration.ofSeconds(30));
		boolean keepAlive = environment.getProperty("spring.main.keep-alive", Boolean.class, true)
				&& !JobEngineLifecycle.isInTest(environment);
		return new JobEngineLifecycle(engine, properties.worker().enabled(), properties.shutdown().grace(),
				timeoutPerPhase, keepAlive);
	}

	@Bean
	@ConditionalOnBooleanProperty("jobs.publish-events")
	JobListener jobEventPublisher(ApplicationEventPublisher publisher) {
		return publisher::publishEvent;
	}

	@Bean
	static LazyInitializationExcludeFilter jobsLazyInitializationExcludeFilter() {
		return LazyInitializationExcludeFilter.forBeanTypes(JobEngineLifecycle.class);
	}

}
