package dev.jobs.engine;

import java.time.Duration;
import java.util.Set;

import dev.jobs.HandlerOptions;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.engine.settings.DuplicateHandlerException;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for building a {@link JobEngine}: what does not fit is refused at once.
 */
class JobEngineBuilderTests {

	private static HandlerDefinition handler(String name) {
		return HandlerDefinition.of(name, Object.class, (payload, context) -> JobResult.done());
	}

	private static JobEngineBuilder builder() {
		return new JobEngineBuilder(new InMemoryJobStore());
	}

	@Test
	void nameHandledTwiceIsRefused() {
		assertThatExceptionOfType(DuplicateHandlerException.class)
			.isThrownBy(() -> builder().handler(handler("a")).handler(handler("a")).build())
			.withMessageContaining("'a' is handled twice");
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
