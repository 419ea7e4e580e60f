package dev.jobs.autoconfigure;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobHandler;
import dev.jobs.QueueStatus;
import dev.jobs.store.view.QueueView;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ValueHints}.
 */
class ValueHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	ValueHintsTests() {
		AotServices.factories()
			.load(RuntimeHintsRegistrar.class)
			.forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
	}

	@Test
	void controllersMayReturnWhatTheClientReturns() {
		String enqueued = Enqueued.of("1", Enqueued.Outcome.NEW, Instant.EPOCH).getClass().getName();
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(TypeReference.of(enqueued))
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(TypeReference.of("dev.jobs.json.ValuesAsJson$WithoutContent"))
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(QueueView.class, "ready"))
			.accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(QueueStatus.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(this.hints);
	}

	@Test
	void controllersMayReturnJobs() {
		Class<?> run = Job.Run.of("w1", 1, Instant.EPOCH).getClass();
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(run)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(Job.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS)).accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(Job.class, "values")).accepts(this.hints);
	}

	@Test
	void actuatorMayWriteItsBodies() {
		assertThat(List.of("dev.jobs.actuate.endpoint.JsonBody", "dev.jobs.engine.EngineStatus",
				"dev.jobs.engine.loop.LoopStatus"))
			.allSatisfy((type) -> assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(type)))
				.accepts(this.hints));
	}

	@Test
	void annotationsMayBeMerged() {
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(JobHandler.class)).accepts(this.hints);
	}

}
