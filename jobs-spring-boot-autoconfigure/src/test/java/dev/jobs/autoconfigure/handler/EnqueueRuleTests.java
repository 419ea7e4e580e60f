package dev.jobs.autoconfigure.handler;

import java.util.List;
import java.util.Map;

import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobRejectedException;
import dev.jobs.JobType;
import dev.jobs.UniqueJob;
import dev.jobs.autoconfigure.Contexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what properties and annotations say about enqueueing jobs.
 */
@ExtendWith(OutputCaptureExtension.class)
class EnqueueRuleTests {

	private final ApplicationContextRunner producer = Contexts.runner().withPropertyValues("jobs.worker.enabled=false");

	@Test
	void rulesHoldForNamesWithoutHandler() {
		this.producer
			.withPropertyValues("jobs.handlers.export.unique.mode=until-started", "jobs.handlers.export.max-waiting=2")
			.run((context) -> {
				JobClient client = Contexts.client(context);
				assertThat(client.enqueue("export", Map.of("id", 1)).isNew()).isTrue();
				assertThat(client.enqueue("export", Map.of("id", 1)).outcome()).isEqualTo(Enqueued.Outcome.DUPLICATE);
				assertThat(client.enqueue("export", Map.of("id", 2)).isNew()).isTrue();
				assertThatExceptionOfType(JobRejectedException.class)
					.isThrownBy(() -> client.enqueue("export", Map.of("id", 3)));
				assertThat(client.enqueue("import", Map.of("id", 3)).isNew()).isTrue();
			});
	}

	@Test
	void annotatedMethodIsUnique() {
		this.producer.withBean(UniqueHandler.class).run((context) -> {
			JobClient client = Contexts.client(context);
			assertThat(client.enqueue("report").isNew()).isTrue();
			assertThat(client.enqueue("report").outcome()).isEqualTo(Enqueued.Outcome.DUPLICATE);
		});
	}

	@Test
	void disabledHandlerStillHasItsRules() {
		this.producer.withBean(UniqueHandler.class)
			.withPropertyValues("jobs.handlers.report.enabled=false")
			.run((context) -> {
				JobClient client = Contexts.client(context);
				assertThat(client.enqueue("report").isNew()).isTrue();
				assertThat(client.enqueue("report").outcome()).isEqualTo(Enqueued.Outcome.DUPLICATE);
			});
	}

	@Test
	void propertyTakesUniquenessAway() {
		this.producer.withBean(UniqueHandler.class)
			.withPropertyValues("jobs.handlers.report.unique.mode=none", "jobs.handlers.refresh.unique.mode=none")
			.run((context) -> {
				JobClient client = Contexts.client(context);
				client.enqueue("report");
				assertThat(client.enqueue("report").isNew()).isTrue();
				client.enqueue(new Refresh("a"));
				assertThat(client.enqueue(new Refresh("a")).isNew()).isTrue();
			});
	}

	@Test
	void tagsByPropertyReplaceThoseOfTheAnnotation() {
		this.producer.withBean(TaggedHandler.class)
			.withPropertyValues("jobs.handlers.export.tags=team:a,nightly", "jobs.handlers.bill.tags=team:b")
			.run((context) -> {
				assertThat(tags(Contexts.client(context), "export")).containsExactly("nightly", "team:a");
				assertThat(tags(Contexts.client(context), "bill")).containsExactly("team:b");
				assertThat(tags(Contexts.client(context), "remind")).containsExactly("team:billing");
			});
	}

	private static List<String> tags(JobClient client, String name) {
		return client.find(client.enqueue(name).id()).orElseThrow().tags();
	}

	@Test
	void otherOptionsForAnUnknownNameAreWarnedAbout(CapturedOutput output) {
		Contexts.runner()
			.withBean(UniqueHandler.class)
			.withPropertyValues("jobs.handlers.reprot.priority=5", "jobs.handlers.export.max-waiting=5")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("jobs.handlers.reprot configures a handler that does not exist")
			.contains("The handlers of this application are report.")
			.doesNotContain("jobs.handlers.export");
	}

	@Test
	void producerIsNotWarnedAboutHandlersOfOthers(CapturedOutput output) {
		this.producer
			.withPropertyValues("jobs.handlers.other.priority=5", "jobs.pools.slow.handlers=other",
					"jobs.schedules.nightly.cron=@daily")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("jobs.handlers", "jobs.pools", "jobs.schedules");
	}

	@JobType("refresh")
	@UniqueJob
	record Refresh(String region) {

	}

	static class TaggedHandler {

		@JobHandler(value = "bill", tags = "team:billing")
		void bill() {
		}

		@JobHandler(value = "remind", tags = "team:billing")
		void remind() {
		}

	}

	static class UniqueHandler {

		@JobHandler("report")
		@UniqueJob
		void report() {
		}

	}

}
