package dev.jobs;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Tests for the options that are set by a chain.
 */
class OptionChainTests {

	private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

	private static final Instant INSTANT = Instant.parse("2026-01-31T12:00:00Z");

	@Test
	void tagThatIsNullIsNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> EnqueueOptions.of((set) -> set.tags((String) null)))
			.withMessageStartingWith("A tag is null");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EnqueueOptions.of((set) -> set.tags(Arrays.asList("customer:42", null))))
			.withMessageStartingWith("A tag is null");
	}

	@Test
	void chainOfEnqueueOptionsKeepsWhatWasSetBefore() {
		EnqueueOptions options = EnqueueOptions.of((set) -> set.delay(TEN_MINUTES)
			.unique("order-7")
			.header("tenant", "a")
			.tags("customer:42")
			.maxWaiting(5)
			.maxWaitingInLane(3)
			.waitForRoom(Duration.ofSeconds(1))
			.ignoreTransaction());
		assertThat(options.getDelay()).isEqualTo(TEN_MINUTES);
		assertThat(options.getUnique()).isEqualTo(Unique.byKey("order-7"));
		assertThat(options.getHeaders()).containsEntry("tenant", "a");
		assertThat(options.getTags()).containsExactly("customer:42");
		assertThat(options.getMaxWaiting()).isEqualTo(5);
		assertThat(options.getMaxWaitingInLane()).isEqualTo(3);
		assertThat(options.getWaitForRoom()).isEqualTo(Duration.ofSeconds(1));
		assertThat(options.isIgnoreTransaction()).isTrue();
	}

	@Test
	void requestKeepsWhatWasSetBefore() {
		JobRequest request = JobRequest.named("a")
			.tags("one")
			.options((options) -> options.delay(TEN_MINUTES).tags("two"))
			.header("tenant", "a");
		assertThat(request.getOptions())
			.isEqualTo(EnqueueOptions.of((set) -> set.header("tenant", "a").tags("one", "two").delay(TEN_MINUTES)));
	}

	@Test
	void blockSetsOptionsWithoutReturningThem() {
		JobRequest request = JobRequest.named("a").options((options) -> {
			options.delay(TEN_MINUTES);
			options.tags("one");
		});
		assertThat(request.getOptions().getDelay()).isEqualTo(TEN_MINUTES);
		assertThat(request.getOptions().getTags()).containsExactly("one");
	}

	@Test
	void builderThatIsKeptChangesNothingLater() {
		AtomicReference<EnqueueOptions.Builder> kept = new AtomicReference<>();
		EnqueueOptions options = EnqueueOptions.of((set) -> kept.set(set.tags("one")));
		kept.get().tags("two").delay(TEN_MINUTES);
		assertThat(options.getTags()).containsExactly("one");
		assertThat(options.getDelay()).isNull();
		assertThat(EnqueueOptions.defaults()).isEqualTo(EnqueueOptions.of((set) -> {
		}));
	}

	@Test
	void delayAfterAnInstantIsRefused() {
		EnqueueOptions options = EnqueueOptions.of((set) -> set.at(INSTANT));
		assertThatIllegalStateException().isThrownBy(() -> options.with((set) -> set.delay(TEN_MINUTES)))
			.withMessageContaining("either 'at' or 'delay'");
	}

	@Test
	void instantAfterADelayIsRefused() {
		EnqueueOptions options = EnqueueOptions.of((set) -> set.delay(TEN_MINUTES));
		assertThatIllegalStateException().isThrownBy(() -> options.with((set) -> set.at(INSTANT)))
			.withMessageContaining("either 'at' or 'delay'");
	}

	@Test
	void negativeBoundOfWaitingJobsIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> EnqueueOptions.of((set) -> set.maxWaiting(-1)))
			.withMessageContaining("'maxWaiting'");
	}

	@Test
	void chainOfARuleKeepsWhatWasSetBefore() {
		Unique unique = Unique.byKey("order-7",
				(rule) -> rule.untilRemoved()
					.acrossHandlers()
					.window(TEN_MINUTES)
					.onDuplicate(Unique.OnDuplicate.REPLACE));
		assertThat(unique.getKey()).isEqualTo("order-7");
		assertThat(unique.getMode()).isEqualTo(Unique.Mode.UNTIL_REMOVED);
		assertThat(unique.getScope()).isEqualTo(Unique.Scope.NAMESPACE);
		assertThat(unique.getWindow()).isEqualTo(TEN_MINUTES);
		assertThat(unique.getOnDuplicate()).isEqualTo(Unique.OnDuplicate.REPLACE);
	}

	@Test
	void keyIsHeldUntilTheOwnerIsDoneIfNothingElseIsSet() {
		assertThat(Unique.byKey("order-7").getMode()).isEqualTo(Unique.Mode.UNTIL_DONE);
		assertThat(Unique.byPayload().getMode()).isEqualTo(Unique.Mode.UNTIL_DONE);
	}

	@Test
	void chainOfAFilterKeepsWhatWasSetBefore() {
		JobFilter filter = JobFilter.of((only) -> only.states(JobState.DEAD, JobState.READY)
			.name("send-email")
			.retrying(true)
			.text("timeout")
			.since(INSTANT)
			.before(INSTANT.plusSeconds(1))
			.uniqueKey("order-7")
			.tag("customer:42"));
		assertThat(filter.getStates()).containsExactlyInAnyOrder(JobState.DEAD, JobState.READY);
		assertThat(filter.getName()).isEqualTo("send-email");
		assertThat(filter.getRetrying()).isTrue();
		assertThat(filter.getText()).isEqualTo("timeout");
		assertThat(filter.getSince()).isEqualTo(INSTANT);
		assertThat(filter.getBefore()).isEqualTo(INSTANT.plusSeconds(1));
		assertThat(filter.getUniqueKey()).isEqualTo("order-7");
		assertThat(filter.getTag()).isEqualTo("customer:42");
	}

	@Test
	void partOfAFilterThatIsNullOrEmptyIsRefusedSinceItWouldSelectMore() {
		Map<String, Consumer<JobFilter.Builder>> parts = Map.of("name", (only) -> only.name(null), "text",
				(only) -> only.text(null), "since", (only) -> only.since(null), "before", (only) -> only.before(null),
				"uniqueKey", (only) -> only.uniqueKey(null), "tag", (only) -> only.tag(null), "states",
				(only) -> only.states((Set<JobState>) null));
		parts.forEach((part, jobs) -> assertThatNullPointerException().isThrownBy(() -> JobFilter.of(jobs))
			.withMessageStartingWith("'" + part + "' must not be null")
			.withMessageEndingWith("; leave it out to select any"));
		assertThatNullPointerException().isThrownBy(() -> JobFilter.of((only) -> only.text("")))
			.withMessageContaining("'text' must not be null or empty");
	}

	@Test
	void commonOptionsReplaceNothingThatARequestHasSet() {
		JobRequest own = JobRequest.named("a")
			.options((set) -> set.unique("own").at(INSTANT).header("from", "own").tags("own").maxWaiting(1));
		Consumer<EnqueueOptions.Builder> common = (set) -> set.unique("common")
			.delay(TEN_MINUTES)
			.header("from", "common")
			.header("tenant", "a")
			.tags("common")
			.maxWaiting(2)
			.waitForRoom(TEN_MINUTES)
			.ignoreTransaction();
		assertThat(own.orElse(common).getOptions()).isEqualTo(EnqueueOptions.of((set) -> set.unique("own")
			.at(INSTANT)
			.header("from", "own")
			.header("tenant", "a")
			.tags("common", "own")
			.maxWaiting(1)
			.waitForRoom(TEN_MINUTES)
			.ignoreTransaction()));
		assertThat(JobRequest.named("b").orElse(common).getOptions()).isEqualTo(EnqueueOptions.of(common));
	}

	@Test
	void chainOfAPolicyKeepsWhatWasSetBefore() {
		Backoff backoff = Backoff.fixed(TEN_MINUTES);
		RetryPolicy policy = RetryPolicy.of((retry) -> retry.maxAttempts(7)
			.backoff(backoff)
			.keepDead(false)
			.onException(RetryPolicy.OnException.FAIL)
			.noRetryFor(IllegalStateException.class::isInstance)
			.noRetryFor(IllegalArgumentException.class::isInstance)
			.maxCrashes(3)
			.snoozeDelay(Duration.ofSeconds(5)));
		assertThat(policy.getMaxAttempts()).isEqualTo(7);
		assertThat(policy.getBackoff()).isSameAs(backoff);
		assertThat(policy.isKeepDead()).isFalse();
		assertThat(policy.getOnException()).isEqualTo(RetryPolicy.OnException.FAIL);
		assertThat(List.of(new IllegalStateException(), new IllegalArgumentException()))
			.allMatch((ex) -> policy.getNoRetryFor().test(ex));
		assertThat(policy.getMaxCrashes()).isEqualTo(3);
		assertThat(policy.getSnoozeDelay()).isEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void chainOfHandlerOptionsKeepsWhatWasSetBefore() {
		RetryPolicy policy = RetryPolicy.of((retry) -> retry.maxAttempts(7));
		HandlerOptions options = HandlerOptions.of((set) -> set.priority(3)
			.retryPolicy(policy)
			.timeout(TEN_MINUTES)
			.maxConcurrency(4)
			.localConcurrency(2)
			.keepHistory(true)
			.keepResult(TEN_MINUTES)
			.transactional(true));
		assertThat(options.getPriority()).isEqualTo(3);
		assertThat(options.getRetryPolicy()).isEqualTo(policy);
		assertThat(options.getTimeout()).isEqualTo(TEN_MINUTES);
		assertThat(options.getMaxConcurrency()).isEqualTo(4);
		assertThat(options.getLocalConcurrency()).isEqualTo(2);
		assertThat(options.isKeepHistory()).isTrue();
		assertThat(options.getKeepResult()).isEqualTo(TEN_MINUTES);
		assertThat(options.isTransactional()).isTrue();
	}

	@Test
	void resultsAreKeptForAYearAtMost() {
		HandlerOptions year = HandlerOptions.of((set) -> set.keepResult(Duration.ofDays(365)));
		assertThat(year.getKeepResult()).isEqualTo(Duration.ofDays(365));
		assertThat(year.with((set) -> set.keepResult(Duration.ZERO))).isEqualTo(HandlerOptions.defaults());
		assertThat(year.with((set) -> set.keepResult(null))).isEqualTo(HandlerOptions.defaults());
		for (Duration refused : List.of(Duration.ofMillis(-1), Duration.ofDays(365).plusMillis(1))) {
			assertThatIllegalArgumentException().isThrownBy(() -> HandlerOptions.of((set) -> set.keepResult(refused)))
				.withMessage("'keepResult' must be from 0 to 365 days but was " + refused);
		}
	}

	@Test
	void resultKeepsItsValueWithAMessage() {
		JobResult result = JobResult.done("receipt").message("paid");
		assertThat(result.getValue()).isEqualTo("receipt");
		assertThat(result.getMessage()).isEqualTo("paid");
		assertThat(result).isEqualTo(JobResult.done("receipt").message("paid"))
			.isNotEqualTo(JobResult.done("other").message("paid"))
			.hasToString("JobResult[kind=DONE, value=receipt, delay=null, at=null, message=paid]");
		assertThat(JobResult.done(null)).isEqualTo(JobResult.done());
	}

	@Test
	void resultIsNoValueOfAnother() {
		assertThatIllegalArgumentException().isThrownBy(() -> JobResult.done(JobResult.retry()))
			.withMessage("The value is a JobResult; return that as it is");
	}

	@ParameterizedTest
	@ValueSource(classes = { EnqueueOptions.class, Unique.class, JobFilter.class, RetryPolicy.class, Backoff.class,
			HandlerOptions.class })
	void noStaticFactorySharesItsNameWithAnInstanceMethod(Class<?> type) {
		assertThat(names(type, true)).doesNotContainAnyElementsOf(names(type, false));
	}

	private static Set<String> names(Class<?> type, boolean ofStatic) {
		return Stream.of(type.getDeclaredMethods())
			.filter((method) -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
			.filter((method) -> Modifier.isStatic(method.getModifiers()) == ofStatic)
			.map(Method::getName)
			.collect(Collectors.toSet());
	}

}
