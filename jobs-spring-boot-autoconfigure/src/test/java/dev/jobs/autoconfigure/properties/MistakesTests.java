package dev.jobs.autoconfigure.properties;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;

import dev.jobs.JobArgs;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.UniqueJob;
import dev.jobs.autoconfigure.Contexts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the messages about mistakes in the configuration of an application.
 */
@ExtendWith(OutputCaptureExtension.class)
class MistakesTests {

	private final ApplicationContextRunner runner = Contexts.runner().withBean(Greeter.class);

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					jobs.worker.leese=10s                    | did you mean jobs.worker.lease?
					jobs.handlers.greet.max-atempts=3        | did you mean jobs.handlers.greet.max-attempts?
					jobs.handlers.greet.backoff.dealy=3s     | did you mean jobs.handlers.greet.backoff.delay?
					jobs.pools.slow.concurency=3             | did you mean jobs.pools.slow.concurrency?
					jobs.schedules.x.corn=@daily             | did you mean jobs.schedules.x.cron?
					jobs.defaults.unique.modus=until-done    | did you mean jobs.defaults.unique.mode?
					jobs.jdbc.prefix=x_                      | below jobs.jdbc there are initialize-schema, listen, platform, pool-size, table-prefix, timeout
					jobs.redis.host=localhost                | below jobs.redis there are durability, replicas, replication-timeout
					jobs.concurrency.max=3                   | there is nothing below jobs.concurrency
					jobs.pools.slow.concurrency[0]=3         | there is nothing below jobs.pools.slow.concurrency
					""")
	void unknownPropertyOfOursEndsTheStart(String property, String meant) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("Property: " + property.substring(0, property.indexOf('=')))
				.contains("Origin: ")
				.contains(meant));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					jobs.concurency=3                        | jobs.concurency (did you mean jobs.concurrency?)
					jobs.schedule.x.cron=@daily              | jobs.schedule.x.cron (did you mean jobs.schedules?)
					jobs.import.cron=@daily                  | jobs.import.cron (below jobs there are concurrency, defaults,
					jobs.dashboard.enabled=true              | jobs.dashboard.enabled (below jobs there are concurrency, defaults,
					""")
	void unknownPropertyDirectlyBelowJobsIsWarnedAbout(String property, String meant, CapturedOutput output) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("Jobs does not know these properties").contains(meant);
	}

	@Test
	void propertiesOfTheApplicationsOwnClassAreNotWarnedAbout(CapturedOutput output) {
		this.runner.withUserConfiguration(Own.class)
			.withPropertyValues("jobs.imports.batch-size=5")
			.run((context) -> assertThat(context.getBean(Imports.class).batchSize()).isEqualTo(5));
		assertThat(output).doesNotContain("does not know");
	}

	@Test
	void variablesOfTheEnvironmentHaveTheirRelaxedNames(CapturedOutput output) {
		withVariables(Map.of("JOBS_WORKER_LEASE", "30s", "JOBS_MAXPAYLOADSIZE", "2MB", "JOBS_SHUTDOWN_GRACE", "3s",
				"JOBS_HANDLERS_GREET_MAXATTEMPTS", "7", "JOBS_POOLS_SLOW_HANDLERS_0", "greet", "JOBS_MISFIRE_GRACE",
				"7s"))
			.run((context) -> {
				JobsProperties properties = context.getBean(JobsProperties.class);
				assertThat(properties.worker().lease()).hasSeconds(30);
				assertThat(properties.maxPayloadSize().toMegabytes()).isEqualTo(2);
				assertThat(properties.handlers().get("greet").maxAttempts()).isEqualTo(7);
				assertThat(properties.pools().get("slow").handlers()).containsExactly("greet");
				assertThat(properties.misfireGrace()).hasSeconds(7);
			});
		assertThat(output).doesNotContain("does not know");
	}

	@Test
	void variablesThatOthersSetAreIgnored(CapturedOutput output) {
		withVariables(Map.of("JOBS_PORT", "tcp://10.0.0.1:80", "JOBS_SERVICE_HOST", "10.0.0.1",
				"JOBS_WORKER_SERVICE_PORT", "80", "JOBS_WORKER_PORT_80_TCP_ADDR", "10.0.0.1"))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("does not know");
	}

	@Test
	void variableThatResemblesAPropertyIsWarnedAbout(CapturedOutput output) {
		withVariables(Map.of("JOBS_WORKER_LEESE", "30s")).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("Jobs does not know these environment variables, and ignores them: "
				+ "JOBS_WORKER_LEESE (did you mean JOBS_WORKER_LEASE?). Correct them");
	}

	private ApplicationContextRunner withVariables(Map<String, Object> variables) {
		return this.runner.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables)));
	}

	@Test
	void payloadsMayHaveAnyProperties() {
		this.runner
			.withPropertyValues("jobs.schedules.x.cron=@daily", "jobs.schedules.x.handler=read",
					"jobs.schedules.x.payload.depth=3", "jobs.schedules.x.payload.where.city=Ulm",
					"jobs.schedules.x.payload.tags[0]=a", "jobs.schedules.x.payload.tags[1]=b")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "jobs.handlers.greet.aliases[0]=hail", "jobs.handlers.greet.aliases=hail" })
	void shorterListAboveALongerOneIsNoMistake(String above) {
		this.runner.withPropertyValues(above)
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addLast(new MapPropertySource("below",
						Map.of("jobs.handlers.greet.aliases[0]", "hello", "jobs.handlers.greet.aliases[1]", "hi"))))
			.run((context) -> assertThat(context.getBean(JobsProperties.class).handlers().get("greet").aliases())
				.containsExactly("hail"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			jobs.worker.lease=5 minutes              | must be a duration such as
			jobs.concurrency=many                    | must be a whole number
			jobs.store=redsi                         | must be one of auto, redis, jdbc, memory
			jobs.defaults.zone=Europe/Pariss         | must be a time zone such as UTC or Europe/Paris
			jobs.max-payload-size=1 MiB              | must be a size such as 512KB or 1MB
			jobs.rescue.enabled=perhaps              | must be true or false
			jobs.worker.lease=15                     | needs a unit, such as 5s
			jobs.handlers.greet.timeout=5            | needs a unit, such as 5s
			jobs.defaults.unique.window=${x.y:10}    | needs a unit, such as 5s
			jobs.defaults.backoff.jitter=some        | must be a number such as 1.5
			jobs.defaults.no-retry-for=java.io.Oops  | must name a class of the application
			jobs.worker=3                            | has no value of its own, only properties below it
			""")
	void valueThatCannotBeBoundEndsTheStart(String property, String accepted) {
		this.runner.withPropertyValues("jobs.store=memory")
			.withPropertyValues(property)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("Reason: ").contains(accepted));
	}

	@Test
	void allMistakesAreReportedTogether() {
		this.runner.withBean(BadTimeout.class)
			.withBean(BadType.class)
			.withBean(SecondGreeter.class)
			.withBean(OpenShape.class)
			.withBean(CronWithoutPayload.class)
			.withPropertyValues("jobs.worker.lease=5 minutes", "jobs.defaults.zone=Nowhere", "jobs.worker.pol=1s",
					"jobs.schedules.x.cron=* * *", "jobs.handlers.greet.priority=0", "jobs.pools.slow.handlers=helo",
					"jobs.pools.quick.handlers=bad-timeout", "jobs.schedules.nightly.cron=@hourly")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.worker.lease")
				.contains("jobs.defaults.zone")
				.contains("jobs.worker.pol")
				.contains("jobs.schedules.x.cron")
				.contains("jobs.handlers.greet.priority")
				.contains("jobs.pools.slow.handlers names the handler 'helo'")
				.contains("BadTimeout.run() is not valid: 'timeout' must be a duration")
				.contains("BadType.run(int) is not supported")
				.contains("The job name 'greet' is handled twice", "Greeter.greet(String)", "SecondGreeter.run()")
				.contains("The job handler 'draw' (", "Shape is a sealed type")
				.contains("The schedule 'nightly' is defined twice")
				.doesNotContain("names the handler 'bad-timeout'"));
	}

	@Test
	void mistakesOfSeveralHandlersAreReportedTogether() {
		this.runner.withBean(BadTimeout.class)
			.withBean(BadType.class)
			.withBean(SecondGreeter.class)
			.withBean(OpenShape.class)
			.withBean(CronWithoutPayload.class)
			.withPropertyValues("jobs.schedules.nightly.cron=@hourly")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("5 things are wrong")
				.contains("BadTimeout.run() is not valid")
				.contains("BadType.run(int) is not supported")
				.contains("The job name 'greet' is handled twice")
				.contains("The job handler 'draw' (")
				.contains("The schedule 'nightly' is defined twice"));
	}

	@Test
	void disabledHandlersNeitherClashNorNeedTheirPayload() {
		this.runner.withBean(OpenShape.class)
			.withBean(CronWithoutPayload.class)
			.withPropertyValues("jobs.handlers.draw.enabled=false", "jobs.handlers.nightly.enabled=false",
					"jobs.schedules.nightly.cron=@hourly")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void nameThatContradictsThePayloadsEndsTheStart() {
		this.runner.withBean(OtherName.class)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains(
						"OtherName.run(Order) handles 'audit', but its payload is enqueued as 'order' by its @JobType")
				.contains("Give both the same name"));
	}

	@Test
	void secondHandlerOfAPayloadHasANameOfItsOwn() {
		this.runner.withBean(OtherName.class)
			.withBean(SameName.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void cronOfAHandlerThatTakesAPayloadEndsTheStart() {
		this.runner.withBean(CronWithPayload.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("CronWithPayload.run(String)")
				.contains("enqueues jobs without a payload, but it takes one")
				.contains("jobs.schedules.nightly.cron and .payload"));
	}

	@Test
	void cronOfAHandlerThatCanDoWithoutAPayloadIsAccepted() {
		this.runner.withBean(CronWithoutPayload.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void scheduleWithoutTheNeededPayloadEndsTheStart() {
		this.runner.withPropertyValues("jobs.schedules.x.cron=@daily", "jobs.schedules.x.handler=greet")
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("jobs.schedules.x enqueues jobs 'greet' without a payload")
				.contains("Set jobs.schedules.x.payload"));
	}

	@Test
	void unknownPropertyInThePayloadOfAScheduleEndsTheStart() {
		this.runner.withBean(Invoices.class)
			.withPropertyValues("jobs.schedules.x.cron=@daily", "jobs.schedules.x.handler=invoice",
					"jobs.schedules.x.payload.customer=ada", "jobs.schedules.x.payload.lines[0].prise=3")
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("jobs.schedules.x.payload does not fit the job handler " + Invoices.class.getName()
						+ ".run(Invoice): " + Line.class.getTypeName() + " has no property 'prise'; it has: price.")
				.contains("Correct the properties below jobs.schedules.x.payload."));
	}

	@Test
	void valueThatDoesNotFitInThePayloadOfAScheduleEndsTheStart() {
		this.runner.withBean(Invoices.class)
			.withPropertyValues("jobs.schedules.x.cron=@daily", "jobs.schedules.x.handler=invoice",
					"jobs.schedules.x.payload.lines[0].price=secret")
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("at 'lines[0].price': expected a number for int, found text")
				.doesNotContain("secret"));
	}

	@Test
	void payloadOfAScheduleThatFitsIsAccepted() {
		this.runner.withBean(Invoices.class)
			.withPropertyValues("jobs.schedules.x.cron=@daily", "jobs.schedules.x.handler=invoice",
					"jobs.schedules.x.payload.customer=ada", "jobs.schedules.x.payload.lines[0].price=3")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void textAsThePayloadOfAScheduleIsToldOnce() {
		this.runner.withBean(Invoices.class)
			.withPropertyValues("jobs.schedules.x.cron=@daily", "jobs.schedules.x.handler=invoice",
					"jobs.schedules.x.payload=ada")
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("must be properties, such as jobs.schedules.x.payload.name=ada")
				.doesNotContain("without a payload")
				.containsOnlyOnce("Reason: "));
	}

	@ParameterizedTest
	@ValueSource(strings = { "max-attempts=0", "cron=* * *", "aliases=a b", "unique.window=-1s", "timeout=5" })
	void wrongPropertyOfAHandlerIsToldOnce(String option) {
		this.runner.withPropertyValues("jobs.handlers.greet." + option)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("Property: jobs.handlers.greet.")
				.containsOnlyOnce("Reason: ")
				.doesNotContain("@JobHandler", "things are wrong"));
	}

	@Test
	void cronPropertyOfAHandlerThatTakesAPayloadIsToldAsProperty() {
		this.runner.withPropertyValues("jobs.handlers.greet.cron=@daily")
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("The property jobs.handlers.greet.cron enqueues jobs without a payload, but the job handler "
						+ Greeter.class.getName() + ".greet(String) takes one.")
				.contains("Set jobs.schedules.greet.cron and .payload instead"));
	}

	@Test
	void wrongUniqueJobOfAPayloadTypeEndsTheStart() {
		this.runner.withBean(Unsound.class)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("The @UniqueJob on " + Rebuild.class.getTypeName()
						+ " is not valid: 'window' must be a duration such as 500ms, 30s, 5m or 2h but was \"soon\""));
	}

	@Test
	void wrongJobTypeEndsTheStart() {
		this.runner.withBean(Unbounded.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("The @JobType on "
					+ Crowd.class.getTypeName() + " is not valid: 'maxWaiting' must not be negative but was -3"));
	}

	@Test
	void wrongNameOfAJobTypeIsToldAsSuch() {
		this.runner.withBean(Misnamed.class)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("The @JobType on " + Spaced.class.getTypeName() + " is not valid: The job name 'send mail'")
				.doesNotContain("jobs.handlers."));
	}

	@Test
	void zoneWithoutCronIsWarnedAbout(CapturedOutput output) {
		this.runner.withBean(ZoneOnly.class)
			.withPropertyValues("jobs.handlers.greet.misfire=skip")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.containsOnlyOnce(
					"'zone' of the @JobHandler on " + ZoneOnly.class.getName() + ".run() has no effect without 'cron'")
			.containsOnlyOnce("jobs.handlers.greet.misfire has no effect, since the handler has no cron expression");
	}

	@Test
	void scheduledHandlerIsWarnedAbout(CapturedOutput output) {
		this.runner.withBean(ScheduledToo.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce(ScheduledToo.class.getName() + ".run() is @Scheduled too");
	}

	@Test
	void handlerOfARequestIsWarnedAbout(CapturedOutput output) {
		this.runner.withBean("ofRequest", ZoneOnly.class, ZoneOnly::new, (definition) -> definition.setScope("request"))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("is of bean 'ofRequest', which has the scope 'request'");
	}

	@Test
	void misspeltPropertyOfTheEndpointIsWarnedAbout(CapturedOutput output) {
		this.runner
			.withPropertyValues("management.endpoint.jobs.acces=unrestricted", "management.endpoint.jobs.roles=admin")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.contains("ignores them: management.endpoint.jobs.acces (did you mean management.endpoint.jobs.access?).");
	}

	@Test
	void leaseOfNoTimeIsToldOnce() {
		this.runner.withPropertyValues("jobs.worker.lease=0")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.worker.lease")
				.doesNotContain("jobs.worker.beat"));
	}

	@ParameterizedTest
	@ValueSource(classes = { AsyncMethod.class, AsyncClass.class })
	void asynchronousHandlerEndsTheStart(Class<?> handler) {
		this.runner.withBean(handler)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains(handler.getSimpleName() + ".run() is @Async")
				.contains("Remove @Async"));
	}

	static class Greeter {

		@JobHandler("greet")
		void greet(String name) {
		}

		@JobHandler("read")
		void read(Map<String, Object> payload) {
		}

	}

	@JobType("rebuild")
	@UniqueJob(window = "soon")
	record Rebuild(String shop) {

	}

	static class Unsound {

		@JobHandler
		void run(Rebuild payload) {
		}

	}

	@JobType(value = "crowd", maxWaiting = -3)
	record Crowd(String name) {

	}

	static class Unbounded {

		@JobHandler
		void run(Crowd payload) {
		}

	}

	@JobType("send mail")
	record Spaced(String name) {

	}

	static class Misnamed {

		@JobHandler
		void run(Spaced payload) {
		}

	}

	static class ZoneOnly {

		@JobHandler(value = "zone-only", zone = "Europe/Paris")
		void run() {
		}

	}

	static class ScheduledToo {

		@JobHandler("scheduled-too")
		@Scheduled(cron = "@daily")
		void run() {
		}

	}

	record Line(int price) {

	}

	record Invoice(String customer, List<Line> lines) {

	}

	static class Invoices {

		@JobHandler("invoice")
		void run(Invoice invoice) {
		}

	}

	static class BadTimeout {

		@JobHandler(value = "bad-timeout", timeout = "soon")
		void run() {
		}

	}

	static class BadType {

		@JobHandler("bad-type")
		void run(int number) {
		}

	}

	static class SecondGreeter {

		@JobHandler("greet")
		void run() {
		}

	}

	sealed interface Shape {

	}

	record Circle(int radius) implements Shape {

	}

	record Square(int side) implements Shape {

	}

	static class OpenShape {

		@JobHandler("draw")
		void run(Shape shape) {
		}

	}

	@JobType("order")
	record Order(long number) {

	}

	static class OtherName {

		@JobHandler("audit")
		void run(Order order) {
		}

	}

	static class SameName {

		@JobHandler
		void run(Order order) {
		}

	}

	static class CronWithPayload {

		@JobHandler(value = "nightly", cron = "@daily")
		void run(String what) {
		}

	}

	static class CronWithoutPayload {

		@JobHandler(value = "nightly", cron = "@daily")
		void run(@Nullable String what) {
		}

		@JobHandler(value = "args", cron = "@daily")
		void run(JobArgs what) {
		}

	}

	static class AsyncMethod {

		@JobHandler("later")
		@Later
		void run() {
		}

	}

	@Later
	static class AsyncClass {

		@JobHandler("later")
		void run() {
		}

	}

	@Async
	@Retention(RetentionPolicy.RUNTIME)
	@interface Later {

	}

	@ConfigurationProperties("jobs.imports")
	record Imports(int batchSize) {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(Imports.class)
	static class Own {

	}

}
