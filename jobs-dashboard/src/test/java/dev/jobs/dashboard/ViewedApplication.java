package dev.jobs.dashboard;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobHandler;
import dev.jobs.JobState;
import dev.jobs.engine.JobEngine;
import dev.jobs.operations.JobOperations;
import dev.jobs.test.FaultWatch;
import org.awaitility.Awaitility;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application in a process of its own. Large jobs of it have died, and it enqueues and
 * runs small ones until its input ends. It reports what happens by lines on its output.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ViewedApplication {

	/** What lines of the protocol begin with; all others are logs. */
	private static final String MARK = "> ";

	private static final int DEAD = 600;

	private static final int SIZE = 1_000_000;

	private static final Duration PATIENCE = Duration.ofMinutes(6);

	public static void main(String[] arguments) throws Exception {
		FaultWatch.report((fault) -> report("fault " + fault));
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(ViewedApplication.class)
			.web(WebApplicationType.SERVLET)
			.run(arguments)) {
			JobClient client = context.getBean(JobClient.class);
			bury(client, context.getBean(JobOperations.class));
			report("port " + context.getEnvironment().getProperty("local.server.port"));
			JobEngine engine = context.getBean(JobEngine.class);
			AtomicInteger enqueued = new AtomicInteger();
			Awaitility.await().pollInterval(Duration.ofMillis(20)).atMost(PATIENCE).until(() -> {
				enqueueAndReport(client, engine, enqueued);
				return System.in.available() > 0;
			});
			AtomicInteger ran = context.getBean(Work.class).ran;
			Awaitility.await().atMost(PATIENCE).until(() -> ran.get() >= enqueued.get());
			report("ran " + ran);
		}
	}

	private static void enqueueAndReport(JobClient client, JobEngine engine, AtomicInteger enqueued) {
		// The log of the engine counts a beat without an answer as no fault.
		engine.status()
			.loops()
			.stream()
			.filter((loop) -> loop.name().equals("beat") && loop.faults() > 0)
			.forEach((loop) -> report("fault " + loop));
		try {
			client.enqueue("small", enqueued.get());
			enqueued.incrementAndGet();
		}
		catch (RuntimeException ex) {
			report("refused " + ex);
		}
	}

	private static void bury(JobClient client, JobOperations operations) {
		StringBuilder text = new StringBuilder(SIZE);
		Random random = new Random(1);
		for (int i = 0; i < DEAD; i++) {
			text.setLength(0);
			random.ints(SIZE - 100, 97, 123).forEach((letter) -> text.append((char) letter));
			client.enqueue("large", text.toString());
		}
		JobFilter dead = JobFilter.of((only) -> only.states(JobState.DEAD));
		Awaitility.await().atMost(PATIENCE).until(() -> operations.jobs(dead).count(1000).number() == DEAD);
	}

	private static void report(String line) {
		System.out.println(MARK + line);
	}

	@Bean
	static Work work() {
		return new Work();
	}

	/**
	 * The handlers.
	 */
	static class Work {

		private final AtomicInteger ran = new AtomicInteger();

		@JobHandler(value = "large", maxAttempts = 1)
		void large(String text) {
			throw new IllegalStateException("boom");
		}

		@JobHandler("small")
		void small(Integer number) {
			this.ran.incrementAndGet();
		}

	}

}
