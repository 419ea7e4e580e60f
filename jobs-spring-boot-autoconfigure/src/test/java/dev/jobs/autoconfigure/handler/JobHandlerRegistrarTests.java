package dev.jobs.autoconfigure.handler;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobArgs;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobType;
import dev.jobs.RunInterceptor;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Received;
import dev.jobs.engine.JobEngine;
import dev.jobs.serialization.PayloadException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JobHandlerRegistrar}, {@link HandlerMethod} and
 * {@link BeanMethodHandler}.
 */
class JobHandlerRegistrarTests {

	private final ApplicationContextRunner runner = Contexts.runner().withBean(Received.class);

	@Test
	void payloadIsWhateverTheMethodTakes() {
		this.runner.withBean(Payloads.class).run((context) -> {
			JobClient client = Contexts.client(context);
			Received received = context.getBean(Received.class);
			client.enqueue("nothing");
			assertThat(received.next()).isEqualTo("nothing");
			client.enqueue("nothing", Map.of("ignored", 1));
			assertThat(received.next()).isEqualTo("nothing");
			client.enqueue("record", new Order("o-1", 3));
			assertThat(received.next()).isEqualTo(new Order("o-1", 3));
			client.enqueue("list", List.of(new Order("o-2", 1)));
			assertThat(received.next()).isEqualTo(List.of(new Order("o-2", 1)));
			client.enqueue("map", Map.of("a", 1));
			assertThat(received.next()).isEqualTo(Map.of("a", 1));
			client.enqueue("node", Map.of("a", 1));
			assertThat(((JsonNode) received.next()).path("a").asInt()).isEqualTo(1);
			client.enqueue("args", Map.of("a", 1));
			assertThat(((JobArgs) received.next()).integer("a")).isEqualTo(1);
			client.enqueue("text", "hello");
			assertThat(received.next()).isEqualTo("hello");
			client.enqueue("bytes", new byte[] { 1, 2 });
			assertThat(received.next()).isEqualTo(new byte[] { 1, 2 });
			client.enqueue("record");
			assertThat(received.next()).isEqualTo("no payload");
		});
	}

	@Test
	void contextComesBeforeOrAfterThePayloadOrAlone() {
		this.runner.withBean(WithContext.class).run((context) -> {
			JobClient client = Contexts.client(context);
			Received received = context.getBean(Received.class);
			client.enqueue("before", "x");
			assertThat(received.next()).isEqualTo("before x");
			client.enqueue("after", "y");
			assertThat(received.next()).isEqualTo("after y");
			client.enqueue("alone");
			assertThat(received.next()).isEqualTo("alone");
		});
	}

	@Test
	void resultDecidesWhatBecomesOfTheJob() {
		this.runner.withBean(WithResult.class).run((context) -> {
			JobClient client = Contexts.client(context);
			String dead = client.enqueue("discarding").id();
			Awaitility.await().until(() -> client.find(dead).map(Job::state).filter(JobState.DEAD::equals).isPresent());
			String done = client.enqueue("nothing-said").id();
			Awaitility.await().until(() -> client.find(done).isEmpty());
		});
	}

	@Test
	void whatTheMethodReturnsIsTheValueOfTheJob() {
		BlockingQueue<JobResult> results = new LinkedBlockingQueue<>();
		this.runner.withBean(WithValue.class).withBean(RunInterceptor.class, () -> (context, next) -> {
			results.add(next.proceed());
			return JobResult.done();
		}).run((context) -> {
			Map<String, JobResult> expected = Map.of("value", JobResult.done(new Order("o-1", 3)), "number",
					JobResult.done(3), "optional", JobResult.done(Optional.of("a")), "null", JobResult.done(),
					"nothing", JobResult.done(), "result", JobResult.done("a").message("b"), "hidden-result",
					JobResult.snooze());
			for (String name : expected.keySet()) {
				Contexts.client(context).enqueue(name);
				assertThat(results.poll(20, TimeUnit.SECONDS)).as(name).isEqualTo(expected.get(name));
			}
		});
	}

	@Test
	void payloadOfGenericBaseClassIsResolved() {
		this.runner.withBean(OrderHandler.class).run((context) -> {
			Contexts.client(context).enqueue("generic", new Order("o-3", 2));
			assertThat(context.getBean(Received.class).next()).isEqualTo(new Order("o-3", 2));
		});
	}

	@Test
	void configurationClassesMayHaveHandlers() {
		this.runner.withUserConfiguration(ConfigurationWithHandler.class).run((context) -> {
			Contexts.client(context).enqueue("configured");
			assertThat(context.getBean(Received.class).next()).isEqualTo("configured");
		});
	}

	@Test
	void lazyBeanIsNotCreatedUntilJobRuns() {
		LazyHandler.created.set(0);
		this.runner.withUserConfiguration(LazyConfiguration.class).run((context) -> {
			JobClient client = Contexts.client(context);
			assertThat(context.getBean(JobEngine.class).handlers()).contains("lazy");
			assertThat(LazyHandler.created).hasValue(0);
			client.enqueue("lazy");
			assertThat(context.getBean(Received.class).next()).isEqualTo("lazy");
			assertThat(LazyHandler.created).hasValue(1);
		});
	}

	@Test
	void prototypeIsCreatedForEveryRun() {
		LazyHandler.created.set(0);
		this.runner.withUserConfiguration(PrototypeConfiguration.class).run((context) -> {
			JobClient client = Contexts.client(context);
			client.enqueue("lazy");
			client.enqueue("lazy");
			context.getBean(Received.class).next();
			context.getBean(Received.class).next();
			assertThat(LazyHandler.created).hasValue(2);
		});
	}

	@Test
	void scopedProxyIsCalled() {
		this.runner.withUserConfiguration(ScopedConfiguration.class)
			.withInitializer((context) -> context.getBeanFactory().registerScope("own", new SimpleThreadScope()))
			.run((context) -> {
				Contexts.client(context).enqueue("lazy");
				assertThat(context.getBean(Received.class).next()).isEqualTo("lazy");
			});
	}

	@Test
	void beanDeclaredByInterfaceIsFound() {
		this.runner.withUserConfiguration(InterfaceConfiguration.class).run((context) -> {
			Contexts.client(context).enqueue("hidden");
			assertThat(context.getBean(Received.class).next()).isEqualTo("hidden");
		});
	}

	@Test
	void handlerFoundTooLateFailsTheStart() {
		this.runner.withUserConfiguration(EagerConfiguration.class, InterfaceConfiguration.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("HiddenTask.run()")
				.contains("bean 'task'")
				.contains("found too late"));
	}

	@Test
	void beanDeclaredByItsBaseClassIsFoundOnce() {
		this.runner.withUserConfiguration(EagerConfiguration.class, BaseClassConfiguration.class).run((context) -> {
			Contexts.client(context).enqueue("hidden");
			assertThat(context.getBean(Received.class).next()).isEqualTo("hidden");
		});
	}

	@Test
	void handlerMayHaveTheClientInjected() {
		this.runner.withBean(Chained.class).run((context) -> {
			Contexts.client(context).enqueue("first");
			assertThat(context.getBean(Received.class).next()).isEqualTo("second");
		});
	}

	@Test
	void annotationMayBeComposed() {
		this.runner.withBean(Composed.class).run((context) -> {
			Contexts.client(context).enqueue("composed");
			assertThat(context.getBean(Received.class).next()).isEqualTo("composed");
		});
	}

	@Test
	void typeOfThePayloadGivesNameAndAliases() {
		this.runner.withBean(Typed.class).run((context) -> {
			JobClient client = Contexts.client(context);
			Received received = context.getBean(Received.class);
			client.enqueue(new Invoice("i-1"));
			assertThat(received.next()).isEqualTo("bill i-1");
			client.enqueue("bill-old", new Invoice("i-2"));
			assertThat(received.next()).isEqualTo("bill-old i-2");
		});
	}

	@Test
	void payloadIsSentToTheHandlerOfExactlyItsClass() {
		this.runner.withBean(SameSimpleName.class).run((context) -> {
			JobClient client = Contexts.client(context);
			Received received = context.getBean(Received.class);
			client.enqueue(new North.Parcel(1));
			assertThat(received.next()).isEqualTo(new North.Parcel(1));
			client.enqueue(new South.Parcel(2));
			assertThat(received.next()).isEqualTo(new South.Parcel(2));
		});
	}

	@Test
	void payloadThatTheHandlerHereCannotReadIsRefusedAtTheEnqueue() {
		this.runner.withBean(Payloads.class).withBean(Typed.class).run((context) -> {
			JobClient client = Contexts.client(context);
			assertThatExceptionOfType(PayloadException.class)
				.isThrownBy(() -> client.enqueue("record", new OtherBill(7)))
				.withMessageContaining("Job 'record'")
				.withMessageContaining("Payloads.take(")
				.withMessageContaining("does not take a payload of " + OtherBill.class.getName());
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> client.enqueue(new OtherBill(7)))
				.withMessageContaining("Job 'bill'")
				.withMessageContaining("does not take a payload of " + OtherBill.class.getName());
			client.enqueue("record", Map.of("id", "o-1", "amount", 2));
			assertThat(context.getBean(Received.class).next()).isEqualTo(new Order("o-1", 2));
		});
	}

	@Test
	void placeholdersAreResolvedInNamesAndAliases() {
		this.runner.withBean(WithPlaceholders.class)
			.withPropertyValues("mail.job=send-mail", "mail.old=old-mail")
			.run((context) -> {
				JobClient client = Contexts.client(context);
				client.enqueue("send-mail");
				assertThat(context.getBean(Received.class).next()).isEqualTo("send-mail");
				client.enqueue("old-mail");
				assertThat(context.getBean(Received.class).next()).isEqualTo("old-mail");
			});
	}

	@Test
	void placeholderThatCannotBeResolvedNamesTheMethod() {
		this.runner.withBean(WithPlaceholders.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("WithPlaceholders.send(JobContext)")
				.contains("mail.job"));
	}

	@ParameterizedTest
	@ValueSource(classes = { TwoPayloads.class, TwoContexts.class, PrimitivePayload.class, StaticMethod.class,
			PrivateMethod.class, OpenPayload.class, JobPayload.class })
	void methodThatIsNotSupportedFailsTheStart(Class<?> type) {
		this.runner.withBean(type)
			.run((context) -> assertThat(Contexts.analysis(context)).contains(type.getName() + ".run(")
				.contains("is not supported: ")
				.contains("takes nothing, a payload, a JobContext, or both in any order"));
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsStage.class, ReturnsPublisher.class, ReturnsStream.class,
			ReturnsOwnFuture.class, ReturnsFutureOfItsBase.class })
	void methodThatReturnsBeforeItsWorkIsDoneFailsTheStart(Class<?> type) {
		this.runner.withBean(type)
			.run((context) -> assertThat(Contexts.analysis(context)).contains(type.getName() + ".run()")
				.containsPattern("it returns [a-zA-Z.$]+, and the job would count as done before its work is")
				.contains("waits for a Future or Publisher itself"));
	}

	@Test
	void handlerThatTakesAnObjectFailsTheStart() {
		this.runner.withBean(AnyPayload.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("AnyPayload.run(Object)")
				.contains("takes an Object")
				.contains("or a Map or JobArgs for any JSON object"));
	}

	@Test
	void handlerWithoutNameFailsTheStart() {
		this.runner.withBean(Nameless.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("Nameless.run(Order)")
				.contains("it gives no name"));
	}

	@Test
	void nameThatIsNotValidFailsTheStart() {
		this.runner.withBean(BadName.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("BadName.run()")
				.contains("'send mail' is not valid"));
	}

	@Test
	void nameHandledTwiceFailsTheStart() {
		this.runner.withBean(Chained.class)
			.withBean(SecondChained.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("The job name 'second' is handled twice")
				.contains("Chained.second() of bean ")
				.contains("SecondChained.also(JobContext) of bean "));
	}

	@Test
	void twoBeansOfOneHandlerClassFailTheStart() {
		this.runner.withBean("one", Composed.class)
			.withBean("two", Composed.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("of bean 'one'")
				.contains("of bean 'two'"));
	}

	@Test
	void otherBeansAreNotCreatedByTheSearch() {
		AtomicInteger created = new AtomicInteger();
		this.runner
			.withBean("bystander", Object.class, created::incrementAndGet, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(created).hasValue(0);
			});
	}

	record Order(String id, int amount) {

	}

	@JobType(value = "bill", aliases = "bill-old")
	record Invoice(String id) {

	}

	@JobType("bill")
	record OtherBill(int number) {

	}

	static class North {

		record Parcel(int number) {

		}

	}

	static class South {

		record Parcel(int number) {

		}

	}

	static class Payloads {

		private final Received received;

		Payloads(Received received) {
			this.received = received;
		}

		@JobHandler("nothing")
		void nothing() {
			this.received.add("nothing");
		}

		@JobHandler("record")
		public void take(@Nullable Order order) {
			this.received.add((order != null) ? order : "no payload");
		}

		@JobHandler("list")
		protected void take(List<Order> orders) {
			this.received.add(orders);
		}

		@JobHandler("map")
		void take(Map<String, Object> values) {
			this.received.add(values);
		}

		@JobHandler("node")
		void take(JsonNode node) {
			this.received.add(node);
		}

		@JobHandler("args")
		void take(JobArgs args) {
			this.received.add(args);
		}

		@JobHandler("text")
		void take(String text) {
			this.received.add(text);
		}

		@JobHandler("bytes")
		void take(byte[] bytes) {
			this.received.add(bytes);
		}

	}

	static class WithContext {

		private final Received received;

		WithContext(Received received) {
			this.received = received;
		}

		@JobHandler("before")
		void before(JobContext context, String text) {
			this.received.add(context.name() + " " + text);
		}

		@JobHandler("after")
		void after(String text, JobContext context) {
			this.received.add(context.name() + " " + text);
		}

		@JobHandler("alone")
		void alone(JobContext context) {
			this.received.add(context.name());
		}

	}

	static class WithResult {

		@JobHandler("discarding")
		JobResult discard() {
			return JobResult.discard().message("no use");
		}

		@JobHandler("nothing-said")
		@Nullable JobResult nothing() {
			return null;
		}

	}

	static class WithValue {

		@JobHandler("value")
		Order value() {
			return new Order("o-1", 3);
		}

		@JobHandler("number")
		int number() {
			return 3;
		}

		@JobHandler("optional")
		Optional<String> optional() {
			return Optional.of("a");
		}

		@JobHandler("null")
		@Nullable Order none() {
			return null;
		}

		@JobHandler("nothing")
		void nothing() {
		}

		@JobHandler("result")
		JobResult result() {
			return JobResult.done("a").message("b");
		}

		@JobHandler("hidden-result")
		Object hiddenResult() {
			return JobResult.snooze();
		}

	}

	abstract static class GenericHandler<T> {

		private final Received received;

		GenericHandler(Received received) {
			this.received = received;
		}

		@JobHandler("generic")
		void handle(T payload) {
			this.received.add(payload);
		}

	}

	static class OrderHandler extends GenericHandler<Order> {

		OrderHandler(Received received) {
			super(received);
		}

	}

	@Configuration
	static class ConfigurationWithHandler {

		private final ObjectProvider<Received> received;

		ConfigurationWithHandler(ObjectProvider<Received> received) {
			this.received = received;
		}

		@JobHandler("configured")
		void handle() {
			this.received.getObject().add("configured");
		}

	}

	static class LazyHandler {

		static final AtomicInteger created = new AtomicInteger();

		private final @Nullable Received received;

		LazyHandler() {
			this.received = null;
		}

		LazyHandler(Received received) {
			this.received = received;
			created.incrementAndGet();
		}

		@JobHandler("lazy")
		void handle(JobContext context) {
			if (this.received != null) {
				this.received.add(context.name());
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyConfiguration {

		@Bean
		@Lazy
		LazyHandler lazyHandler(Received received) {
			return new LazyHandler(received);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeConfiguration {

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		LazyHandler lazyHandler(Received received) {
			return new LazyHandler(received);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedConfiguration {

		@Bean
		@Scope(value = "own", proxyMode = ScopedProxyMode.TARGET_CLASS)
		LazyHandler lazyHandler(Received received) {
			return new LazyHandler(received);
		}

	}

	interface Task {

	}

	static class HiddenTask implements Task {

		private final Received received;

		HiddenTask(Received received) {
			this.received = received;
		}

		@JobHandler("hidden")
		void run() {
			this.received.add("hidden");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceConfiguration {

		@Bean
		Task task(Received received) {
			return new HiddenTask(received);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BaseClassConfiguration {

		@Bean
		HiddenTask task(Received received) {
			return new SpecialTask(received);
		}

	}

	static class SpecialTask extends HiddenTask {

		SpecialTask(Received received) {
			super(received);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EagerConfiguration {

		EagerConfiguration(JobEngine engine) {
			assertThat(engine).isNotNull();
		}

	}

	static class Chained {

		private final JobClient client;

		private final Received received;

		Chained(JobClient client, Received received) {
			this.client = client;
			this.received = received;
		}

		@JobHandler("first")
		void first() {
			this.client.enqueueAll(List.of(JobRequest.named("second")));
		}

		@JobHandler("second")
		void second() {
			this.received.add("second");
		}

	}

	static class SecondChained {

		@JobHandler(value = "other", aliases = "second")
		void also(JobContext context) {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@JobHandler(maxAttempts = 2)
	@interface Short {

		@AliasFor(annotation = JobHandler.class, attribute = "value")
		String name();

	}

	static class Composed {

		private final Received received;

		Composed(Received received) {
			this.received = received;
		}

		@Short(name = "composed")
		void handle() {
			this.received.add("composed");
		}

	}

	static class Typed {

		private final Received received;

		Typed(Received received) {
			this.received = received;
		}

		@JobHandler
		void handle(Invoice invoice, JobContext context) {
			this.received.add(context.name() + " " + invoice.id());
		}

	}

	static class SameSimpleName {

		private final Received received;

		SameSimpleName(Received received) {
			this.received = received;
		}

		@JobHandler("north")
		void north(North.Parcel parcel) {
			this.received.add(parcel);
		}

		@JobHandler("south")
		void south(South.Parcel parcel) {
			this.received.add(parcel);
		}

	}

	static class WithPlaceholders {

		private final Received received;

		WithPlaceholders(Received received) {
			this.received = received;
		}

		@JobHandler(value = "${mail.job}", aliases = "${mail.old}")
		void send(JobContext context) {
			this.received.add(context.name());
		}

	}

	static class ReturnsFuture {

		@JobHandler("x")
		CompletableFuture<Void> run() {
			return CompletableFuture.completedFuture(null);
		}

	}

	static class ReturnsStage {

		@JobHandler("x")
		CompletionStage<Order> run() {
			return CompletableFuture.completedStage(new Order("o-1", 3));
		}

	}

	static class ReturnsPublisher {

		@JobHandler("x")
		Flow.Publisher<Order> run() {
			return new SubmissionPublisher<>();
		}

	}

	static class ReturnsStream {

		@JobHandler("x")
		Stream<Order> run() {
			return Stream.of(new Order("o-1", 3));
		}

	}

	static class OwnFuture extends FutureTask<Order> {

		OwnFuture() {
			super(() -> new Order("o-1", 3));
		}

	}

	static class ReturnsOwnFuture {

		@JobHandler("x")
		OwnFuture run() {
			return new OwnFuture();
		}

	}

	static class Returns<T> {

		@JobHandler("x")
		@Nullable T run() {
			return null;
		}

	}

	static class ReturnsFutureOfItsBase extends Returns<Future<Order>> {

	}

	static class TwoPayloads {

		@JobHandler("x")
		void run(String one, String two) {
		}

	}

	static class TwoContexts {

		@JobHandler("x")
		void run(JobContext one, JobContext two) {
		}

	}

	static class PrimitivePayload {

		@JobHandler("x")
		void run(int number) {
		}

	}

	static class StaticMethod {

		@JobHandler("x")
		static void run() {
		}

	}

	static class PrivateMethod {

		@JobHandler("x")
		private void run() {
		}

	}

	static class AnyPayload {

		@JobHandler("any")
		void run(Object payload) {
		}

	}

	static class OpenPayload<T> {

		@JobHandler("x")
		void run(T payload) {
		}

	}

	static class JobPayload {

		@JobHandler("x")
		void run(Job job) {
		}

	}

	static class Nameless {

		@JobHandler
		void run(Order order) {
		}

	}

	static class BadName {

		@JobHandler("send mail")
		void run() {
		}

	}

}
