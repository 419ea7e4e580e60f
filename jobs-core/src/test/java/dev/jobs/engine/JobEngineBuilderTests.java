package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import dev.jobs.HandlerOptions;
import dev.jobs.JobClient;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.settings.DuplicateHandlerException;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.serialization.PayloadException;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Tests for building a {@link JobEngine}: parts that do not fit are refused at once.
 */
class JobEngineBuilderTests {

	private static HandlerDefinition handler(String name) {
		return HandlerDefinition.of(name, Object.class, (payload, context) -> JobResult.done());
	}

	private static JobEngineBuilder builder() {
		return new JobEngineBuilder(new InMemoryJobStore());
	}

	private static JobEngineBuilder counting() {
		return builder().handler("count", Integer.class, (number, context) -> JobResult.done());
	}

	@Test
	void nameHandledTwiceIsRefused() {
		assertThatExceptionOfType(DuplicateHandlerException.class)
			.isThrownBy(() -> builder().handler(handler("a")).handler(handler("a")).build())
			.withMessageContaining("'a' is handled twice: by handler 'a' in " + JobEngineBuilderTests.class.getName());
	}

	@Test
	void handlerInCodeIsNeverCalledWithoutThePayloadItTakes() {
		JobEngine engine = counting().handler("tick", Void.class, (none, context) -> JobResult.done()).build();
		assertThatIllegalArgumentException().isThrownBy(() -> engine.client().enqueue("count"))
			.withMessageContaining("Job 'count' needs a payload");
		String id = engine.client().enqueue("count", 1).id();
		assertThatIllegalArgumentException().isThrownBy(() -> engine.operations().job(id).replacePayload(null))
			.withMessageContaining("Job 'count' needs a payload");
		assertThat(engine.client().enqueue("tick").isNew()).isTrue();
	}

	@Test
	void scheduleWhoseHandlerHereDoesNotTakeItsPayloadIsRefused() {
		RecurringJob daily = RecurringJob.of("daily", Schedule.parse("@daily"), "count");
		assertThatIllegalArgumentException().isThrownBy(() -> counting().recurringJob(daily).build())
			.withMessageStartingWith("The schedule 'daily' cannot enqueue its job. Job 'count' needs a payload");
		assertThatIllegalArgumentException().isThrownBy(() -> counting().recurringJob(daily.withPayload("two")).build())
			.withMessageContaining("Job 'count': handler 'count' in " + getClass().getName()
					+ ", which runs it, does not take a payload of java.lang.String");
		assertThat(counting().recurringJob(daily.withPayload(2).withMisfire(Misfire.skip())).build().recurringJobs())
			.singleElement()
			.returns(2, RecurringJob::payload)
			.returns(Misfire.skip(), RecurringJob::misfire);
		assertThat(builder().recurringJob(daily).build().recurringJobs()).containsExactly(daily);
	}

	@Test
	void refusedEnqueueSaysWhatToChange() {
		JobClient client = counting().build().client();
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueue("Hello printer"))
			.withMessageEndingWith("for a text payload use JobRequest.ofPayload(...)");
		assertThatNullPointerException().isThrownBy(() -> client.enqueue((Object) 1, null))
			.withMessage("'options' must not be null");
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> client
				.enqueueAll(List.of(JobRequest.named("count").payload(1), JobRequest.named("count").payload("two"))))
			.withMessageStartingWith("Element 1 of the jobs: Job 'count'");
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueueAll(List.of(1, Instant.EPOCH)))
			.withMessageStartingWith("Element 1 of the jobs: No job name belongs to java.time.Instant");
		assertThat(client.tryEnqueue("later", Duration.ofHours(1)).isNew()).isTrue();
		assertThat(client.tryEnqueue("later", null).isDuplicate()).isFalse();
	}

	@Test
	void aliasThatIsAnotherHandlersNameIsRefused() {
		assertThatExceptionOfType(DuplicateHandlerException.class)
			.isThrownBy(() -> builder().handler(handler("a")).handler(handler("b").withAliases("a")).build());
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a:b", "a,b", "{a}", "a b", "-a", "ä", "a/b", "a\n" })
	void nameThatIsNotValidIsRefused(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> handler(name))
			.withMessageContaining("letters, digits, dots, dashes and underscores");
	}

	@Test
	void nameOfThreeHundredCharactersIsRefusedAndCutInTheMessage() {
		assertThatIllegalArgumentException().isThrownBy(() -> handler("a".repeat(300)))
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(300));
	}

	@Test
	void priorityOutOfRangeIsRefusedAndZeroIsOne() {
		assertThat(HandlerOptions.of((set) -> set.priority(0)).getPriority()).isOne();
		assertThat(HandlerOptions.of((set) -> set.priority(100_000)).getPriority()).isEqualTo(100_000);
		assertThatIllegalArgumentException().isThrownBy(() -> HandlerOptions.of((set) -> set.priority(100_001)))
			.withMessageContaining("from 1 to 100000");
		assertThatIllegalArgumentException().isThrownBy(() -> HandlerOptions.of((set) -> set.priority(-1)));
	}

	@Test
	void poolThatNamesAnUnknownHandlerIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> builder().handler(handler("a")).pool(new PoolOptions("slow", 1, Set.of("b"))).build())
			.withMessageContaining("Pool 'slow' names the handler 'b', which does not exist");
	}

	@Test
	void handlerNamedByTwoPoolsIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> builder().handler(handler("a"))
				.pool(new PoolOptions("one", 1, Set.of("a")))
				.pool(new PoolOptions("two", 1, Set.of("a")))
				.build())
			.withMessageContaining("named by two pools");
	}

	@Test
	void senselessNumbersAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> builder().concurrency(0));
		assertThatIllegalArgumentException().isThrownBy(() -> new PoolOptions("slow", 1, Set.of()))
			.withMessageContaining("names no handlers");
		assertThatIllegalArgumentException().isThrownBy(() -> RetryPolicy.of((retry) -> retry.maxAttempts(0)))
			.withMessageContaining("'maxAttempts' must be at least 1");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EngineSettings.defaults().withLease(Duration.ofSeconds(10), Duration.ofSeconds(4)))
			.withMessageContaining("'beat' must be at most a third of 'lease'");
	}

}
