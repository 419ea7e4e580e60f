package dev.jobs.autoconfigure;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Collectors;

import dev.jobs.EnqueueOptions;
import dev.jobs.autoconfigure.handler.DeclaredHandler;
import dev.jobs.autoconfigure.handler.FoundHandlers;
import dev.jobs.autoconfigure.handler.JobHandlerRegistrar;
import dev.jobs.autoconfigure.properties.HandlerSettings;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.Namespace;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.autoconfigure.properties.Recurrence;
import dev.jobs.autoconfigure.transaction.TransactionBeforeTheEnd;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.run.HandlerTransactions;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.JobStore;
import dev.jobs.store.Outbox;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.StepMarks;
import dev.jobs.store.TransactionalJobStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Builds an engine from the properties and the handlers.
 */
class JobEngineAssembler {

	private static final Logger logger = LoggerFactory.getLogger(JobEngineAssembler.class);

	private final JobsProperties properties;

	private final Environment environment;

	private final Namespace namespace;

	private final JobStore store;

	private final PayloadSerializer serializer;

	private final FoundHandlers found;

	private final List<DeclaredHandler> handlers;

	private final ObjectProvider<HandlerTransactions> transactions;

	private final ObjectProvider<StoreDecorator> decorators;

	private final ObjectProvider<Outbox> outbox;

	private final ObjectProvider<StepMarks> marks;

	JobEngineAssembler(JobsProperties properties, Environment environment, Namespace namespace, JobStore store,
			PayloadSerializer serializer, JobHandlerRegistrar registrar,
			ObjectProvider<HandlerTransactions> transactions, ObjectProvider<Outbox> outbox,
			ObjectProvider<StepMarks> marks, ObjectProvider<StoreDecorator> decorators) {
		this.properties = properties;
		this.environment = environment;
		this.namespace = namespace;
		this.store = store;
		this.serializer = serializer;
		this.found = registrar.find();
		List<InvalidJobsConfigurationException> mistakes = this.found.mistakes(properties, serializer, (path) -> false);
		if (!mistakes.isEmpty()) {
			throw InvalidJobsConfigurationException.of(mistakes);
		}
		this.handlers = this.found.handlers();
		this.found.doubts().forEach((doubt) -> logger.warn("{}", doubt));
		this.transactions = transactions;
		this.decorators = decorators;
		this.outbox = outbox;
		this.marks = marks;
	}

	JobEngineBuilder assemble() {
		JobEngineBuilder builder = new JobEngineBuilder(decorated()).serializer(this.serializer).settings(settings());
		enabled().forEach((handler) -> builder.handler(runnable(handler)));
		if (isTransactional() && enabled().stream().anyMatch(JobEngineAssembler::isTransactional)) {
			builder.handlerTransactions(this.transactions.getObject());
		}
		else {
			builder.handlerTransactions((work) -> this.transactions.getObject().run(work));
		}
		if (!isTransactional()) {
			this.marks.ifUnique(builder::stepMarks);
		}
		if (this.properties.outbox().enabled()) {
			builder.outbox(outbox(), this.properties.outbox().poll(), this.properties.outbox().rememberFor());
		}
		rules().forEach(builder::rule);
		recurringJobs().forEach(builder::recurringJob);
		List<PoolOptions> pools = pools();
		pools.forEach(builder::pool);
		if (Threading.VIRTUAL.isActive(this.environment)) {
			builder.threadFactories(JobEngineAssembler::virtualThreads);
		}
		logger.info("Jobs in {}{}, {}, {} handler(s) of beans", this.store.getClass().getSimpleName(),
				isTransactional() ? ""
						: ", namespace '" + this.namespace.name() + "' (" + this.namespace.source() + ")",
				describe(pools), enabled().size());
		return builder;
	}

	private JobStore decorated() {
		JobStore store = this.store;
		for (StoreDecorator decorator : this.decorators.orderedStream().toList()) {
			store = decorator.decorate(store);
		}
		return store;
	}

	private String describe(List<PoolOptions> pools) {
		return this.properties.worker().enabled() ? pools.stream()
			.map((pool) -> pool.name() + "=" + pool.concurrency())
			.collect(Collectors.joining(", ", "pools ", "")) : "no worker";
	}

	private static ThreadFactory virtualThreads(String pool) {
		return new VirtualThreadTaskExecutor("jobs-" + pool + "-").getVirtualThreadFactory();
	}

	private EngineSettings settings() {
		JobsProperties.Worker worker = this.properties.worker();
		JobsProperties.Retention retention = this.properties.retention();
		return new EngineSettings(worker.lease(), worker.beat(), worker.poll(), this.properties.rescue().enabled(),
				Math.toIntExact(this.properties.maxPayloadSize().toBytes()), this.properties.misfireGrace(),
				this.environment.getProperty("spring.application.version", ""),
				new EngineSettings.Retention(unlessZero(retention.deadAge()), retention.deadCount(),
						unlessZero(retention.historyAge()), retention.historyCount(),
						unlessZero(retention.strandedAge())));
	}

	private static @Nullable Duration unlessZero(@Nullable Duration age) {
		return (age != null && age.isZero()) ? null : age;
	}

	/**
	 * Return a handler as this store can run it. If memory was asked for, as in a test,
	 * the transaction ends before the job. If memory is used only because no database is
	 * configured, a transactional handler is a mistake.
	 */
	private HandlerDefinition runnable(DeclaredHandler handler) {
		HandlerDefinition definition = handler.definition();
		if (isTransactional() || !isTransactional(handler)) {
			return definition;
		}
		if (this.properties.store() == JobsProperties.Store.MEMORY) {
			return TransactionBeforeTheEnd.of(definition, this.transactions.getObject());
		}
		throw new InvalidJobsConfigurationException(
				"The job handler '%s' (%s) is transactional, but jobs are kept in %s, which cannot take part in a transaction."
					.formatted(handler.name(), definition.origin(), this.store.getClass().getSimpleName()),
				"Keep jobs in the application's database, or remove 'transactional' from the @JobHandler and jobs."
						+ PropertyCheck.path("handlers", handler.name())
						+ ".transactional. In a test, set jobs.store=memory.");
	}

	private static boolean isTransactional(DeclaredHandler handler) {
		return handler.definition().options().isTransactional();
	}

	private boolean isTransactional() {
		return this.store.as(TransactionalJobStore.class).isPresent();
	}

	private Outbox outbox() {
		if (this.store.as(OutboxTarget.class).isEmpty() || !this.store.inspector().store().lasting()) {
			throw new InvalidJobsConfigurationException(
					"jobs.outbox.enabled is true, but an outbox is for jobs in Redis, and jobs are kept in "
							+ this.store.getClass().getSimpleName() + ".",
					isTransactional()
							? "Remove jobs.outbox.enabled, since enqueues are a part of the transactions of this database anyway, or set jobs.store=redis."
							: "Set jobs.store=redis and configure spring.data.redis.*, or remove jobs.outbox.enabled.");
		}
		Outbox outbox = this.outbox.getIfUnique();
		if (outbox == null) {
			throw new InvalidJobsConfigurationException(
					"jobs.outbox.enabled is true, but there is no database to keep the outbox in.",
					"Add spring-boot-starter-jdbc or spring-boot-starter-data-jpa, and jobs-jdbc unless the starter of "
							+ "Jobs brings it, and configure spring.datasource.*, or remove jobs.outbox.enabled.");
		}
		return outbox;
	}

	private List<DeclaredHandler> enabled() {
		return this.handlers.stream().filter(DeclaredHandler::enabled).toList();
	}

	/**
	 * Collect the rules of the properties and of handlers that the engine does not get,
	 * since they apply to enqueues here, too.
	 */
	private Map<String, EnqueueOptions> rules() {
		Map<String, EnqueueOptions> rules = new LinkedHashMap<>();
		this.properties.handlers().forEach((name, handler) -> {
			rules.put(name, handler.rule(settings(name, handler)));
			if (!this.found.names().contains(name) && handler.isAboutRuns() && this.properties.worker().enabled()) {
				logger.warn("jobs.{} configures a handler that does not exist; only uniqueness, max-waiting, "
						+ "lanes.max-waiting, wait-for-room, expiry, deadlines, tags and urgency have an "
						+ "effect. {}", PropertyCheck.path("handlers", name), this.found.known());
			}
		});
		for (DeclaredHandler handler : this.handlers) {
			if (!handler.enabled()) {
				rules.merge(handler.name(), handler.definition().rule(), EnqueueOptions::orElse);
			}
		}
		return rules;
	}

	private HandlerSettings settings(String name, HandlerSettings fallback) {
		return this.handlers.stream()
			.filter((handler) -> handler.name().equals(name))
			.map(DeclaredHandler::settings)
			.findFirst()
			.orElse(fallback);
	}

	private List<RecurringJob> recurringJobs() {
		Map<String, RecurringJob> byName = new LinkedHashMap<>();
		for (DeclaredHandler handler : enabled()) {
			if (handler.recurringJob() != null) {
				byName.put(handler.name(), handler.recurringJob());
			}
		}
		this.properties.schedules().forEach((name, schedule) -> {
			RecurringJob recurringJob = recurringJob(name, schedule);
			if (recurringJob == null) {
				return;
			}
			byName.put(name, recurringJob);
			if (!this.found.served().contains(recurringJob.jobName()) && this.properties.worker().enabled()) {
				logger.warn("jobs.{} enqueues jobs '{}', for which there is no handler here. {}",
						PropertyCheck.path("schedules", name), recurringJob.jobName(), this.found.known());
			}
		});
		return List.copyOf(byName.values());
	}

	/**
	 * Read a schedule, or {@code null} if it is switched off.
	 */
	private static @Nullable RecurringJob recurringJob(String name, JobsProperties.Schedule schedule) {
		String cron = schedule.cron();
		if (cron == null || Recurrence.isDisabled(cron)) {
			return null;
		}
		Map<String, Object> payload = schedule.payload();
		return RecurringJob.of(name, Recurrence.schedule(cron, schedule.zone()), schedule.jobName(name))
			.withPayload((payload != null) ? Recurrence.withLists(payload) : null)
			.withMisfire(Misfire.parse(schedule.misfire()));
	}

	/**
	 * Return the pools. A process without a worker has only the default pool, so that it
	 * can share its properties with workers.
	 */
	private List<PoolOptions> pools() {
		Map<String, PoolOptions> pools = new LinkedHashMap<>();
		pools.put(PoolOptions.DEFAULT_NAME, PoolOptions.ofDefault(this.properties.concurrency()));
		if (this.properties.worker().enabled()) {
			this.properties.pools().forEach((name, pool) -> {
				Set<String> served = served(pool);
				if (!served.isEmpty()) {
					pools.put(name, new PoolOptions(name, pool.concurrency(), served));
				}
			});
		}
		return List.copyOf(pools.values());
	}

	private Set<String> served(JobsProperties.Pool pool) {
		Set<String> served = new HashSet<>(pool.handlers());
		served.retainAll(enabled().stream().map(DeclaredHandler::name).toList());
		return served;
	}

}
