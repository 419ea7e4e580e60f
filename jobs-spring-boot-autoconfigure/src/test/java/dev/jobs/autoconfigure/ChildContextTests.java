package dev.jobs.autoconfigure;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.engine.JobEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications of several contexts.
 */
@ExtendWith(OutputCaptureExtension.class)
class ChildContextTests {

	@Test
	void handlersInAChildContextAreWarnedAbout(CapturedOutput output) {
		try (ConfigurableApplicationContext child = start(Child.class)) {
			assertThat(child.getBean(JobClient.class)).isNotNull();
		}
		assertThat(output).containsOnlyOnce("These job handlers run no jobs")
			.contains(Child.class.getName() + ".inChild()")
			.contains("Declare their beans in the parent")
			.doesNotContain("inParent()");
	}

	@Test
	void childContextWithJobsOfItsParentDoesNotStopThem() throws Exception {
		try (ConfigurableApplicationContext child = start(AlsoWithJobs.class)) {
			ConfigurableApplicationContext parent = (ConfigurableApplicationContext) child.getParent();
			child.close();
			assertThat(parent.getBean(JobEngine.class).isRunning()).isTrue();
			parent.getBean(JobClient.class).enqueue("parent", "Ada");
			assertThat(parent.getBean(Received.class).next()).isEqualTo("Ada");
			parent.close();
		}
	}

	private static ConfigurableApplicationContext start(Class<?> child) {
		return new SpringApplicationBuilder(Parent.class).web(WebApplicationType.NONE)
			.properties("spring.application.name=shop", "jobs.store=memory", "jobs.shutdown.grace=1s",
					"spring.main.banner-mode=off")
			.child(child)
			.web(WebApplicationType.NONE)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(JobsAutoConfiguration.class)
	static class Parent {

		private final Received received = new Received();

		@Bean
		Received received() {
			return this.received;
		}

		@JobHandler("parent")
		void inParent(String name) {
			this.received.add(name);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Child {

		@JobHandler("child")
		void inChild() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(JobsAutoConfiguration.class)
	static class AlsoWithJobs {

	}

}
