package dev.jobs.autoconfigure;

import dev.jobs.JobClient;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import jakarta.persistence.EntityManager;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link JobsTest} beside slices.
 */
@ExtendWith(OutputCaptureExtension.class)
class SliceTests {

	@Test
	void sliceWithoutJobsSaysWhatToAdd(CapturedOutput output) {
		TestContextManager manager = new TestContextManager(WithoutJobs.class);
		assertThatIllegalStateException().isThrownBy(() -> manager.getTestContext().getApplicationContext());
		assertThat(output)
			.contains("Parameter 0 of constructor in " + Orders.class.getName()
					+ " needs a JobClient, and there is none in the context of the test.")
			.contains("Put @JobsTest of jobs-test on the test, or a field with @MockitoBean JobClient into it.");
	}

	@Nested
	@JobsTest
	@WebMvcTest
	@ContextConfiguration(classes = Shop.class)
	class WebMvc {

		@Autowired
		private TestJobs jobs;

		@Autowired
		private MockMvcTester mvc;

		@Test
		void controllerEnqueues(CapturedOutput output) {
			assertThat(output).doesNotContain("jobs.worker.enabled");
			assertThat(this.mvc.post().uri("/orders")).hasStatusOk();
			assertThat(this.jobs.payloads("order", String.class)).containsExactly("teapot");
		}

	}

	@Nested
	@JobsTest
	@WebFluxTest
	@ContextConfiguration(classes = Shop.class)
	class WebFlux {

		@Autowired
		private TestJobs jobs;

		@Autowired
		private WebTestClient web;

		@Test
		void controllerEnqueues() {
			this.web.post().uri("/orders").exchange().expectStatus().isOk();
			assertThat(this.jobs.payloads("order", String.class)).containsExactly("teapot");
		}

	}

	@Nested
	@JobsTest
	@DataJpaTest
	@ContextConfiguration(classes = Shop.class)
	class DataJpa {

		@Autowired
		private TestJobs jobs;

		@Autowired
		private JobClient client;

		@Test
		void jobBelongsToTheTransactionOfTheTest(@Autowired EntityManager entities) {
			assertThat(entities.isJoinedToTransaction()).isTrue();
			enqueueAndCommit(this.client, this.jobs);
		}

	}

	@Nested
	@JobsTest
	@JdbcTest
	@ContextConfiguration(classes = Shop.class)
	class Jdbc {

		@Autowired
		private TestJobs jobs;

		@Autowired
		private JobClient client;

		@Test
		void jobBelongsToTheTransactionOfTheTest(@Autowired JdbcClient jdbc) {
			assertThat(jdbc.sql("select 1").query(Integer.class).single()).isOne();
			enqueueAndCommit(this.client, this.jobs);
		}

	}

	@Nested
	@JobsTest
	@JsonTest
	@Import(Greeter.class)
	@ContextConfiguration(classes = Shop.class)
	class Json {

		@Autowired
		private TestJobs jobs;

		@Autowired
		private JobClient client;

		@Test
		void importedHandlerRuns() {
			this.client.enqueue("greet", "Ada");
			assertThat(this.jobs.runUntilIdle()).isOne();
		}

	}

	private static void enqueueAndCommit(JobClient client, TestJobs jobs) {
		client.enqueue("order", "teapot");
		assertThat(jobs.payloads("order", String.class)).isEmpty();
		TestTransaction.flagForCommit();
		TestTransaction.end();
		assertThat(jobs.payloads("order", String.class)).containsExactly("teapot");
	}

	@WebMvcTest
	@ContextConfiguration(classes = Shop.class)
	static class WithoutJobs {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Orders.class)
	static class Shop {

	}

	@RestController
	static class Orders {

		private final JobClient jobs;

		Orders(JobClient jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/orders")
		void order() {
			this.jobs.enqueue("order", "teapot");
		}

	}

}
