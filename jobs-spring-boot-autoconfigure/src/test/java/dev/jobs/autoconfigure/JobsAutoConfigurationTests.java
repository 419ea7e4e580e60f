package dev.jobs.autoconfigure;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.EnqueueInterceptor;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobCount;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobHandler;
import dev.jobs.JobListener;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.QueueStatus;
import dev.jobs.RunInterceptor;
import dev.jobs.WaitReason;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.Namespace;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.operations.JobOperations;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.BeatReply;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.ExpectsFaults;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link JobsAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class JobsAutoConfigurationTests {

	private final ApplicationContextRunner runner = Contexts.runner().withBean(Received.class).withBean(Greeter.class);

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class))
		.withPropertyValues("jobs.shutdown.grace=1s");

	private final Logger clockLogger = (Logger) LoggerFactory.getLogger("dev.jobs.engine.context.StoreClock");

	private final ListAppender<ILoggingEvent> ofClock = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.ofClock.start();
		this.clockLogger.addAppender(this.ofClock);
	}

	@AfterEach
	void stopListening() {
		this.clockLogger.detachAppender(this.ofClock);
	}

	@Test
	void interceptorThatLosesResultsIsNamedByItsBean() {
		this.runner.withBean("forgetful", EnqueueInterceptor.class, () -> (requests, next) -> List.of())
			.run((context) -> assertThatIllegalStateException()
				.isThrownBy(() -> Contexts.client(context).enqueue("greet", "Ada"))
				.withMessage(
						"The EnqueueInterceptor bean 'forgetful' returned 0 result(s) for 1 request(s); it must return one result for each"));
	}

	@Test
	@ExpectsFaults("failed on Accepted of job 'greet'")
	void listenerThatFailsIsNamedByItsBean() {
		ListAppender<ILoggingEvent> events = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger("dev.jobs.engine.context.EventBus");
		events.start();
		logger.addAppender(events);
		try {
			this.runner.withPropertyValues("jobs.worker.enabled=false")
				.withBean("deaf", JobListener.class, () -> (event) -> {
					throw new IllegalStateException("Pardon?");
				})
				.run((context) -> Contexts.client(context).enqueue("greet", "Ada"));
		}
		finally {
			logger.detachAppender(events);
		}
		assertThat(events.list).extracting(ILoggingEvent::getFormattedMessage)
			.containsExactly("Listener bean 'deaf' failed on Accepted of job 'greet'");
	}

	@Test
	void linesOfAListenerNameTheJobOnEveryThread() {
		Map<String, Map<String, String>> lines = new ConcurrentHashMap<>();
		this.runner
			.withBean(JobListener.class, () -> (event) -> lines.put(event.getClass().getSimpleName(),
					Objects.requireNonNullElse(MDC.getCopyOfContextMap(), Map.of())))
			.run((context) -> {
				String id = Contexts.client(context).enqueue("greet", "Ada").id();
				Awaitility.await().until(() -> lines.containsKey("Succeeded"));
				assertThat(lines.get("Succeeded")).containsEntry("job.id", id)
					.containsEntry("job.name", "greet")
					.containsEntry("job.attempt", "1");
				assertThat(lines.get("Accepted")).containsEntry("job.id", id);
				assertThat(MDC.get("job.id")).isNull();
			});
	}

	@Test
	void everythingIsThere() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(JobStore.class)
			.hasSingleBean(InMemoryJobStore.class)
			.hasSingleBean(JobInspector.class)
			.hasSingleBean(PayloadSerializer.class)
			.hasSingleBean(JobEngine.class)
			.hasSingleBean(JobClient.class)
			.doesNotHaveBean(JobListener.class));
	}

	@Test
	void disabledMeansNothingIsThere() {
		this.runner.withPropertyValues("jobs.enabled=false")
			.withBean(String.class, () -> "x")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(JobStore.class)
				.doesNotHaveBean(JobInspector.class)
				.doesNotHaveBean(PayloadSerializer.class)
				.doesNotHaveBean(JobEngine.class)
				.doesNotHaveBean(JobClient.class)
				.doesNotHaveBean(JobsProperties.class)
				.doesNotHaveBean(JobEngineLifecycle.class));
	}

	@Test
	void beansOfTheApplicationWin() {
		this.bare.withUserConfiguration(OwnBeans.class).withPropertyValues("jobs.store=redis").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context).getBean(JobStore.class).isSameAs(OwnBeans.STORE);
			assertThat(context).getBean(JobInspector.class).isSameAs(OwnBeans.INSPECTOR);
			assertThat(context).getBean(PayloadSerializer.class).isSameAs(OwnBeans.SERIALIZER);
			assertThat(context).getBean(JobEngine.class).isSameAs(context.getBean("ownEngine"));
			assertThat(context).getBean(JobClient.class).isSameAs(context.getBean("ownClient"));
			assertThat(context.getBean(JobEngine.class).isRunning()).isTrue();
		});
	}

	@Test
	void memoryThatWasAskedForIsNotWarnedAbout(CapturedOutput output) {
		this.bare.withPropertyValues("jobs.store=memory", "spring.application.name=shop")
			.run((context) -> assertThat(context).hasSingleBean(InMemoryJobStore.class));
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void memoryThatWasNotAskedForIsWarnedAbout(CapturedOutput output) {
		this.bare.withPropertyValues("spring.application.name=shop")
			.run((context) -> assertThat(context).hasSingleBean(InMemoryJobStore.class));
		assertThat(output.toString().split("do not survive a restart", -1)).hasSize(2);
		assertThat(output).contains("set jobs.store=memory");
	}

	@Test
	void namespaceIsTheConfiguredOne() {
		this.runner.withPropertyValues("jobs.namespace=orders")
			.run((context) -> assertThat(context.getBean(Namespace.class))
				.isEqualTo(new Namespace("orders", "jobs.namespace")));
	}

	@Test
	void namespaceIsTheNameOfTheApplicationMadeToFit() {
		this.runner.withPropertyValues("spring.application.name= My {Shop}")
			.run((context) -> assertThat(context.getBean(Namespace.class).name()).isEqualTo("My-Shop-"));
	}

	@Test
	void missingNamespaceIsNoMatterInMemory(CapturedOutput output) {
		this.bare.withPropertyValues("jobs.store=memory")
			.run((context) -> assertThat(context.getBean(Namespace.class).name()).isEqualTo("application"));
		assertThat(output).doesNotContain("share a store");
	}

	@Test
	void clockOfTheApplicationIsUsedIfThereIsOne() {
		Instant instant = Instant.parse("2026-01-01T00:00:00Z");
		this.runner.withBean(Clock.class, () -> Clock.fixed(instant, ZoneOffset.UTC))
			.run((context) -> assertThat(Contexts.client(context).enqueue("greet", "x").dueAt()).isEqualTo(instant));
	}

	@Test
	void foreignClockIsWarnedAboutOnceIfTheStoreHasAClock() {
		this.runner.withBean(JobStore.class, JobsAutoConfigurationTests::storeWithATime)
			.withBean("lateClock", Clock.class, () -> Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)))
			.run(this::runTwoJobs);
		assertThat(this.ofClock.list).singleElement()
			.satisfies((line) -> assertThat(line.getFormattedMessage())
				.contains("bean 'lateClock' (java.time.Clock$OffsetClock)"));
	}

	@Test
	void clockThatIsNotTheMachinesIsNoMatterIfTheStoreHasNoTime() {
		this.runner.withBean("lateClock", Clock.class, () -> Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)))
			.run(this::runTwoJobs);
		assertThat(this.ofClock.list).isEmpty();
	}

	@Test
	void customizerGivesTheEngineTheClockOfTheMachineBack() {
		this.runner.withBean(JobStore.class, JobsAutoConfigurationTests::storeWithATime)
			.withBean("lateClock", Clock.class, () -> Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)))
			.withBean(JobEngineCustomizer.class, () -> (builder) -> builder.clock(Clock.systemUTC()))
			.run(this::runTwoJobs);
		assertThat(this.ofClock.list).isEmpty();
	}

	/** No job starts before the first beat was answered. */
	private void runTwoJobs(AssertableApplicationContext context) throws InterruptedException {
		for (String name : List.of("Ada", "Grace")) {
			Contexts.client(context).enqueue("greet", name);
			assertThat(context.getBean(Received.class).next()).isEqualTo(name);
		}
	}

	private static JobStore storeWithATime() {
		InMemoryJobStore store = new InMemoryJobStore();
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, values) -> {
					Object result = method.invoke(store, values);
					return (result instanceof BeatReply reply)
							? new BeatReply(reply.held(), reply.cancelled(), Instant.now()) : result;
				});
	}

	@Test
	void severalClocksAreNotUsed() {
		Instant instant = Instant.parse("2020-01-01T00:00:00Z");
		this.runner.withBean("one", Clock.class, () -> Clock.fixed(instant, ZoneOffset.UTC))
			.withBean("two", Clock.class, () -> Clock.fixed(instant, ZoneOffset.UTC))
			.run((context) -> assertThat(Contexts.client(context).enqueue("greet", "x").dueAt()).isAfter(instant));
	}

	@Test
	void jobsRunWithoutTheJacksonModuleOfBoot() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.jackson")).run((context) -> {
			Contexts.client(context).enqueue("greet", "Ada");
			assertThat(context.getBean(Received.class).next()).isEqualTo("Ada");
		});
	}

	@Test
	void settingsReachTheEngine() {
		this.runner.withPropertyValues("jobs.max-payload-size=10B").run((context) -> {
			JobClient client = Contexts.client(context);
			assertThatExceptionOfType(PayloadException.class)
				.isThrownBy(() -> client.enqueue("greet", "more than ten bytes"))
				.withMessageContaining("jobs.max-payload-size allows 10");
		});
	}

	@Test
	void customizersComeLastInTheirOrder() {
		this.runner.withUserConfiguration(Customizers.class).run((context) -> {
			JobClient client = Contexts.client(context);
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> client.enqueue("greet", "0123456789"))
				.withMessageContaining("allows 6");
		});
	}

	@Test
	void interceptorsAndListenersAreCalledInTheirOrder() {
		this.runner.withUserConfiguration(Around.class).run((context) -> {
			Received received = context.getBean(Received.class);
			Contexts.client(context).enqueue("greet", "Ada");
			assertThat(List.of(received.next(), received.next(), received.next(), received.next(), received.next()))
				.containsExactly("enqueue 1", "enqueue 2", "run 1", "run 2", "Ada");
			assertThat(received.next()).isEqualTo("succeeded 1");
			assertThat(received.next()).isEqualTo("succeeded 2");
		});
	}

	@Test
	void eventsArePublishedIfAskedFor() {
		this.runner.withBean(Listening.class).withPropertyValues("jobs.publish-events=true").run((context) -> {
			Received received = context.getBean(Received.class);
			Contexts.client(context).enqueue("greet", "Ada");
			assertThat(received.next()).isEqualTo("Ada");
			assertThat(received.next()).isInstanceOf(JobEvent.Succeeded.class);
		});
	}

	@Test
	void poolsServeTheirHandlers() {
		this.runner.withBean(ThreadNames.class)
			.withPropertyValues("jobs.pools.slow.handlers=slow", "jobs.pools.slow.concurrency=1", "jobs.concurrency=1")
			.run((context) -> {
				Received received = context.getBean(Received.class);
				Contexts.client(context).enqueue("slow");
				assertThat(received.next().toString()).startsWith("jobs-slow-");
				Contexts.client(context).enqueue("quick");
				assertThat(received.next().toString()).startsWith("jobs-default-");
			});
	}

	@Test
	void poolOfDisabledHandlersIsLeftOut() {
		this.runner.withBean(ThreadNames.class)
			.withPropertyValues("jobs.pools.other.handlers=slow", "jobs.handlers.slow.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(JobEngine.class).handlers()).containsExactlyInAnyOrder("greet", "quick");
			});
	}

	@Test
	void poolOfUnknownHandlerFailsTheStart() {
		this.runner.withPropertyValues("jobs.pools.slow.handlers=exprot")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.pools.slow.handlers")
				.contains("'exprot', which does not exist")
				.contains("The handlers of this application are greet."));
	}

	@Test
	void engineStartsThoughEverythingElseIsLazy() {
		this.runner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> {
				assertThat(context.getBean(JobEngine.class).isRunning()).isTrue();
				assertThat(context.getBeanFactory().containsSingleton("received")).isFalse();
				assertThat(context.getBeanFactory().getSingletonNames()).noneMatch((name) -> name.contains("Greeter"));
				Contexts.client(context).enqueue("greet", "Ada");
				assertThat(context.getBean(Received.class).next()).isEqualTo("Ada");
			});
	}

	@Test
	void twoApplicationsShareOneStore() {
		InMemoryJobStore store = new InMemoryJobStore();
		ApplicationContextRunner producer = Contexts.runner()
			.withBean(JobStore.class, () -> store)
			.withPropertyValues("jobs.worker.enabled=false");
		this.runner.withBean(JobStore.class, () -> store).run((worker) -> producer.run((context) -> {
			Contexts.client(context).enqueue("greet", "from next door");
			assertThat(worker.getBean(Received.class).next()).isEqualTo("from next door");
			assertThat(context.getBean(JobEngine.class).isRunning()).isFalse();
		}));
	}

	@Test
	void twoApplicationsInOneProcessDoNotMix() {
		this.runner.run((one) -> this.runner.run((two) -> {
			Contexts.client(one).enqueue("greet", "one");
			Contexts.client(two).enqueue("greet", "two");
			assertThat(one.getBean(Received.class).next()).isEqualTo("one");
			assertThat(two.getBean(Received.class).next()).isEqualTo("two");
		}));
	}

	@Test
	void clientIsUsableWhileTheApplicationStarts() {
		this.runner.withBean(EarlyProducer.class)
			.run((context) -> assertThat(context.getBean(Received.class).next()).isEqualTo("early"));
	}

	@Test
	void clientRefusesAfterTheApplicationHasEnded() {
		JobClient[] client = new JobClient[1];
		this.runner.run((context) -> client[0] = Contexts.client(context));
		assertThatExceptionOfType(JobRejectedException.class).isThrownBy(() -> client[0].enqueue("greet", "x"));
	}

	@Test
	void clientPassesEverythingOn() {
		this.bare.withPropertyValues("jobs.store=memory", "jobs.worker.enabled=false").run((context) -> {
			JobClient client = Contexts.client(context);
			Enqueued enqueued = client.enqueue("later", "x");
			assertThat(client.find(enqueued.id())).isPresent();
			assertThat(client.reschedule(enqueued.id(), Instant.parse("2100-01-01T00:00:00Z"))).isTrue();
			assertThat(client.cancel(enqueued.id())).isTrue();
			assertThat(client.tryEnqueue(JobRequest.named("later").payload(1)).isFull()).isFalse();
			assertThat(client.tryEnqueue(JobRequest.named("later").payload(1), Duration.ZERO).isFull()).isFalse();
			assertThat(client.enqueueAll(List.of(JobRequest.named("later").payload(1)))).hasSize(1);
		});
	}

	@Test
	void operationsPassEverythingOn() {
		this.bare.withPropertyValues("jobs.store=memory", "jobs.worker.enabled=false").run((context) -> {
			JobClient client = Contexts.client(context);
			JobOperations operations = context.getBean(JobOperations.class);
			String id = client.enqueue("later", "x").id();
			Job job = operations.job(id).find().orElseThrow();
			assertThat(operations.queues()).extracting(QueueStatus::name).containsExactly("later");
			assertThat(operations.workers()).isEmpty();
			assertThat(operations.schedules()).isEmpty();
			assertThat(operations.schedule("none").runs()).isEmpty();
			assertThat(operations.schedule("none").status()).isEmpty();
			assertThat(operations.worker("none").status()).isEmpty();
			assertThat(operations.queue("later").status()).get().returns(1L, QueueStatus::ready);
			assertThat(operations.store().status().kind()).isEqualTo("memory");
			assertThat(operations.store().faults()).isEmpty();
			assertThat(operations.store().statistics(job.createdAt(), job.createdAt(), Duration.ofMinutes(1)))
				.isEmpty();
			assertThat(operations.waitReason(job).kind()).isEqualTo(WaitReason.Kind.NO_WORKER);
			assertThat(operations.jobs(JobFilter.all()).page(PageRequest.oldestFirst(10)).jobs()).hasSize(1);
			assertThat(operations.jobs(JobFilter.all()).count(10)).isEqualTo(JobCount.exactly(1));
			assertThat(operations.jobs(JobFilter.all()).deaths().causes()).isEmpty();
			assertThat(operations.job(id).reschedule(Instant.parse("2100-01-01T00:00:00Z"))).isTrue();
			assertThat(operations.job(id).retry()).isTrue();
			operations.queue("later").pause();
			operations.queue("later").limit(3);
			assertThat(operations.queues().get(0).paused()).isTrue();
			assertThat(operations.queues().get(0).limit()).isEqualTo(3);
			operations.queue("later").resume();
			operations.queue("later").removeLimit();
			assertThat(operations.queues().get(0).paused()).isFalse();
			assertThat(operations.queues().get(0).limit()).isEqualTo(-1);
			assertThat(operations.job(id).cancel()).isTrue();
			assertThat(operations.job(id).delete()).isFalse();
			client.enqueueAll(IntStream.range(0, 3).mapToObj((i) -> JobRequest.named("later")).toList());
			assertThat(operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).retry()).isZero();
			assertThat(operations.jobs(JobFilter.of((only) -> only.states(JobState.READY))).delete()).isEqualTo(3);
			operations.store().purge();
			assertThat(operations.queues()).isEmpty();
		});
	}

	static class Greeter {

		private final Received received;

		Greeter(Received received) {
			this.received = received;
		}

		@JobHandler("greet")
		void greet(String name) {
			this.received.add(name);
		}

	}

	static class ThreadNames {

		private final Received received;

		ThreadNames(Received received) {
			this.received = received;
		}

		@JobHandler("slow")
		void slow() {
			this.received.add(Thread.currentThread().getName());
		}

		@JobHandler("quick")
		void quick() {
			this.received.add(Thread.currentThread().getName());
		}

	}

	static class EarlyProducer {

		EarlyProducer(JobClient client) {
			client.enqueue("greet", "early");
		}

	}

	static class Listening {

		private final Received received;

		Listening(Received received) {
			this.received = received;
		}

		@EventListener
		void on(JobEvent.Succeeded event) {
			this.received.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Customizers {

		@Bean
		@Order(2)
		JobEngineCustomizer second() {
			return (builder) -> builder.settings(EngineSettings.defaults().withMaxPayloadBytes(6));
		}

		@Bean
		@Order(1)
		JobEngineCustomizer first() {
			return (builder) -> builder.settings(EngineSettings.defaults().withMaxPayloadBytes(5));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Around {

		@Bean
		@Order(2)
		EnqueueInterceptor secondEnqueue(Received received) {
			return enqueue(received, 2);
		}

		@Bean
		@Order(1)
		EnqueueInterceptor firstEnqueue(Received received) {
			return enqueue(received, 1);
		}

		@Bean
		@Order(2)
		RunInterceptor secondRun(Received received) {
			return run(received, 2);
		}

		@Bean
		@Order(1)
		RunInterceptor firstRun(Received received, JobClient client) {
			return run(received, 1);
		}

		@Bean
		@Order(2)
		JobListener secondListener(Received received) {
			return listener(received, 2);
		}

		@Bean
		@Order(1)
		JobListener firstListener(Received received, JobClient client) {
			return listener(received, 1);
		}

		private EnqueueInterceptor enqueue(Received received, int number) {
			return (requests, next) -> {
				received.add("enqueue " + number);
				return next.proceed(requests);
			};
		}

		private RunInterceptor run(Received received, int number) {
			return (context, next) -> {
				received.add("run " + number);
				return next.proceed();
			};
		}

		private JobListener listener(Received received, int number) {
			return (event) -> {
				if (event instanceof JobEvent.Succeeded) {
					received.add("succeeded " + number);
				}
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBeans {

		static final JobStore STORE = new InMemoryJobStore();

		static final JobInspector INSPECTOR = STORE.inspector();

		static final PayloadSerializer SERIALIZER = new JacksonPayloadSerializer();

		@Bean
		JobStore ownStore() {
			return STORE;
		}

		@Bean
		JobInspector ownInspector() {
			return INSPECTOR;
		}

		@Bean
		PayloadSerializer ownSerializer() {
			return SERIALIZER;
		}

		@Bean
		JobEngine ownEngine() {
			return new JobEngineBuilder(STORE).build();
		}

		@Bean
		JobClient ownClient(JobEngine engine) {
			return engine.client();
		}

	}

}
