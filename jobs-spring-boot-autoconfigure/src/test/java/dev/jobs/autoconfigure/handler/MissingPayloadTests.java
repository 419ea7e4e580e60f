package dev.jobs.autoconfigure.handler;

import java.util.List;

import dev.jobs.DeadReason;
import dev.jobs.JobArgs;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Received;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.JobStore;
import dev.jobs.test.ExpectsFaults;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for jobs without the payload that their handler takes.
 */
class MissingPayloadTests {

	private final ApplicationContextRunner runner = Contexts.runner().withBean(Received.class).withBean(Greeter.class);

	@Test
	void enqueueWithoutThePayloadThatTheHandlerTakesIsRefused() {
		this.runner.run((context) -> {
			JobClient client = Contexts.client(context);
			assertThatIllegalArgumentException().isThrownBy(() -> client.enqueue("greet"))
				.withMessageContaining("Job 'greet' needs a payload, which its handler takes: ")
				.withMessageContaining("Greeter.greet(String)");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> client.enqueueAll(List.of(JobRequest.named("old-greet"))));
			assertThat(client.enqueue("greet", "Ada").isNew()).isTrue();
			assertThat(context.getBean(Received.class).next()).isEqualTo("Ada");
		});
	}

	@Test
	void handlerThatCanDoWithoutAPayloadGetsNone() {
		this.runner.run((context) -> {
			Contexts.client(context).enqueue("maybe");
			assertThat(context.getBean(Received.class).next()).isEqualTo("nobody");
			Contexts.client(context).enqueue("args");
			assertThat(context.getBean(Received.class).next()).isEqualTo(0);
		});
	}

	@Test
	@ExpectsFaults("The job has no payload, but its handler takes one")
	void jobOfAnotherProcessWithoutThePayloadIsDeadAtOnce() {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			JobEngine producer = new JobEngineBuilder(context.getBean(JobStore.class)).build();
			String id = producer.client().enqueue("greet").id();
			JobOperations operations = context.getBean(JobOperations.class);
			Awaitility.await().until(() -> operations.job(id).find().orElseThrow().state() == JobState.DEAD);
			assertThat(operations.job(id).find().orElseThrow().trail().end()).extracting(Trail.End::reason)
				.isEqualTo(DeadReason.UNREADABLE);
			assertThat(context.getBean(Received.class).isEmpty()).isTrue();
		});
	}

	static class Greeter {

		private final Received received;

		Greeter(Received received) {
			this.received = received;
		}

		@JobHandler(value = "greet", aliases = "old-greet")
		void greet(String name) {
			this.received.add(String.valueOf(name));
		}

		@JobHandler("maybe")
		void maybe(@Nullable String name) {
			this.received.add((name != null) ? name : "nobody");
		}

		@JobHandler("args")
		void args(JobArgs args) {
			this.received.add(args.asMap().size());
		}

	}

}
