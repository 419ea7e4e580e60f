package dev.jobs.autoconfigure;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.engine.JobEngine;
import dev.jobs.operations.JobOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for whole applications and for what they print when they do not start.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTests {

	@AfterEach
	void logAsBefore() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel("dev.jobs.autoconfigure", null);
	}

	@Test
	void applicationWithoutWebRunsJobs(CapturedOutput output) throws Exception {
		try (ConfigurableApplicationContext context = run(Application.class, "--jobs.pools.slow.handlers=greet",
				"--logging.level.dev.jobs.autoconfigure=info")) {
			context.getBean(JobClient.class).enqueue("greet", "Ada");
			assertThat(context.getBean(Received.class).next()).isEqualTo("Ada");
		}
		assertThat(output).contains(
				"Jobs in InMemoryJobStore, namespace 'shop' (spring.application.name), pools default=20, slow=1, 1 handler(s) of beans");
	}

	@Test
	void applicationWithEverythingLazyRunsJobs() throws Exception {
		try (ConfigurableApplicationContext context = run(Application.class,
				"--spring.main.lazy-initialization=true")) {
			context.getBean(JobClient.class).enqueue("greet", "Ada");
			assertThat(context.getBean(Received.class).next()).isEqualTo("Ada");
		}
	}

	@Test
	void unsupportedMethodIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(BadMethod.class));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("The job handler method " + BadMethod.class.getName()
					+ ".send(int) is not supported: its parameter 1 is a primitive int")
			.contains("- returns nothing, a JobResult or a value, and waits for a Future or Publisher itself,");
	}

	@Test
	void duplicateNameIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(TwiceTheSame.class));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("The job name 'x' is handled twice:")
			.contains("- by " + TwiceTheSame.class.getName() + ".one() of bean '")
			.contains("- by " + TwiceTheSame.class.getName() + ".two(String) of bean '")
			.contains("Give one of the handlers another name");
	}

	@Test
	void badCronOfMethodIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(BadCron.class));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("The @JobHandler on " + BadCron.class.getName()
					+ ".run() is not valid: Invalid schedule \"61 * *\"")
			.contains("Accepted are 6 cron fields (second first)");
	}

	@Test
	void cronOfMethodThatNeverTicksIsExplained(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(NeverCron.class));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("The @JobHandler on " + NeverCron.class.getName()
					+ ".run() is not valid: The schedule \"0 0 30 2 *\" never ticks");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					jobs.schedules.nightly.cron=61 * * | Property: jobs.schedules.nightly.cron  | Accepted are 6 cron fields
					jobs.handlers.greet.cron=61 * *    | Property: jobs.handlers.greet.cron     | Accepted are 6 cron fields
					jobs.schedules.nightly.cron=0 0 30 2 * | Property: jobs.schedules.nightly.cron | The schedule "0 0 30 2 *" never ticks
					jobs.handlers.greet.cron=0 0 30 2 *    | Property: jobs.handlers.greet.cron    | The schedule "0 0 30 2 *" never ticks
					jobs.schedules.nightly.cron=0 0 L-28 * * | Property: jobs.schedules.nightly.cron | may be L-27 at the earliest
					jobs.handlers.greet.priority=0     | Property: jobs.handlers.greet.priority | must be from 1 to 100000
					jobs.pools.slow.handlers=other     | jobs.pools.slow.handlers names the handler 'other', which does not exist | are greet.
					jobs.store=jdbc                    | Jobs are to be kept in a database, but there is no DataSource bean | or set jobs.store=memory
					jobs.jdbc.table-prefix=x;drop      | Property: jobs.jdbc.table-prefix        | must have letters, digits and underscores only
					jobs.jdbc.pool-size=-1             | Property: jobs.jdbc.pool-size           | must be from 0 to 100000
					jobs.jdbc.timeout=10ms             | Property: jobs.jdbc.timeout             | must be at least 1s
					""")
	void badPropertyIsExplained(String property, String problem, String accepted, CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(Application.class, "--" + property));
		assertThat(output).contains("APPLICATION FAILED TO START").contains(problem).contains(accepted);
	}

	@ParameterizedTest
	@ValueSource(classes = { JobClient.class, JobOperations.class, JobEngine.class })
	void beanThatIsMissingSinceJobsIsSwitchedOffIsExplained(Class<?> type, CapturedOutput output) {
		assertThatException().isThrownBy(() -> new SpringApplicationBuilder(JobsAutoConfiguration.class)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean("shop", Object.class,
					() -> context.getBean(type)))
			.properties("spring.main.web-application-type=none", "spring.main.banner-mode=off", "jobs.enabled=false")
			.run());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("needs a " + type.getSimpleName() + ", and there is none, since jobs.enabled is false.")
			.contains("To enqueue jobs without running them here, set jobs.worker.enabled=false.");
	}

	@Test
	void constructorThatMissesItsClientIsNamed(CapturedOutput output) {
		assertThatException().isThrownBy(() -> new SpringApplicationBuilder(JobsAutoConfiguration.class, Shop.class)
			.properties("spring.main.web-application-type=none", "spring.main.banner-mode=off", "jobs.enabled=false")
			.run());
		assertThat(output).contains("Parameter 0 of constructor in " + Shop.class.getName()
				+ " needs a JobClient, and there is none, since jobs.enabled is false.");
	}

	@Test
	void otherBeanThatIsMissingIsLeftToSpringBoot(CapturedOutput output) {
		assertThatException().isThrownBy(() -> new SpringApplicationBuilder(Shop.class)
			.properties("spring.main.web-application-type=none", "spring.main.banner-mode=off")
			.run());
		assertThat(output).contains("Consider defining a bean of type '" + JobClient.class.getName() + "'");
	}

	@Test
	void valueIsExplainedWithItsOrigin(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(Application.class, "--jobs.concurrency=0"));
		assertThat(output).contains("Property: jobs.concurrency")
			.contains("Value: \"0\"")
			.contains("Origin: \"jobs.concurrency\" from property source \"commandLineArgs\"")
			.contains("Reason: must be from 1 to 100000");
	}

	private static ConfigurableApplicationContext run(Class<?> application, String... arguments) {
		return new SpringApplicationBuilder(application)
			.properties("spring.main.web-application-type=none", "spring.main.banner-mode=off",
					"spring.application.name=shop", "jobs.store=memory", "jobs.shutdown.grace=1s")
			.run(arguments);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(JobsAutoConfiguration.class)
	static class Application {

		@Bean
		Received received() {
			return new Received();
		}

		@Bean
		JobsAutoConfigurationTests.Greeter greeter(Received received) {
			return new JobsAutoConfigurationTests.Greeter(received);
		}

	}

	static class Shop {

		Shop(JobClient client) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(JobsAutoConfiguration.class)
	static class BadMethod {

		@JobHandler("x")
		void send(int number) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(JobsAutoConfiguration.class)
	static class TwiceTheSame {

		@JobHandler("x")
		void one() {
		}

		@JobHandler("x")
		void two(String text) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(JobsAutoConfiguration.class)
	static class NeverCron {

		@JobHandler(value = "x", cron = "0 0 30 2 *")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(JobsAutoConfiguration.class)
	static class BadCron {

		@JobHandler(value = "x", cron = "61 * *")
		void run() {
		}

	}

}
