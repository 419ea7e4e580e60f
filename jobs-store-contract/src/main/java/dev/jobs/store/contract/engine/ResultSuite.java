package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.Backoff;
import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.HandlerOptions;
import dev.jobs.JobContext;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.NoResultException;
import dev.jobs.NotInTimeException;
import dev.jobs.RetryPolicy;
import dev.jobs.Trail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.serialization.PayloadException;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.StoreListener;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The promises about what a job returns to those who wait for it.
 */
public abstract class ResultSuite extends EngineSuite {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration HOUR = Duration.ofHours(1);

	/** What the handler does in its next run. */
	private volatile Body body = (context) -> JobResult.done();

	private JobEngineBuilder parts() {
		return parts((set) -> {
		});
	}

	private JobEngineBuilder parts(Consumer<HandlerOptions.Builder> options) {
		return with(builder(), options);
	}

	private JobEngineBuilder with(JobEngineBuilder builder, Consumer<HandlerOptions.Builder> options) {
		return builder.handler(HandlerDefinition.of("work", String.class, (payload, context) -> this.body.run(context))
			.with(HandlerOptions.of((set) -> {
				set.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(2).backoff(Backoff.fixed(Duration.ZERO))));
				options.accept(set);
			})));
	}

	private void returning(@Nullable Object value) {
		this.body = (context) -> JobResult.done(value);
	}

	static JobRequest work() {
		return JobRequest.named("work").payload("x");
	}

	private static Throwable failureOf(CompletableFuture<?> future) {
		await("the future has ended", future::isDone);
		return future.handle((value, ex) -> ex).thenApply((ex) -> (ex.getCause() != null) ? ex.getCause() : ex).join();
	}

	// --- call

	@Test
	void callReturnsWhatTheHandlerReturned() throws InterruptedException {
		JobEngine engine = start(parts());
		returning(new Receipt("c1", 4200));
		assertThat(engine.client().call(work(), Receipt.class, LONG)).isEqualTo(new Receipt("c1", 4200));
	}

	@Test
	void nothingIsAValue() throws InterruptedException {
		JobEngine engine = start(parts());
		assertThat(engine.client().call(work(), Receipt.class, LONG)).isNull();
		returning(null);
		assertThat(engine.client().call(work(), Receipt.class, LONG)).isNull();
		returning(new Receipt("c1", 1));
		assertThat(engine.client().call(work(), Void.class, LONG)).isNull();
	}

	@Test
	void callGoesOnThroughRetries() throws InterruptedException {
		JobEngine engine = start(parts());
		this.body = (context) -> {
			if (context.attempt() == 1) {
				throw new IllegalStateException("Not yet");
			}
			return JobResult.done("second");
		};
		assertThat(engine.client().call(work(), String.class, LONG)).isEqualTo("second");
	}

	@Test
	void callerOfAJobThatDiesGetsItsHistory() {
		JobEngine engine = start(parts());
		this.body = (context) -> {
			throw new IllegalStateException("The card is stolen");
		};
		assertThatExceptionOfType(NoResultException.class)
			.isThrownBy(() -> engine.client().call(work(), Receipt.class, LONG))
			.withMessageContaining("is dead (EXHAUSTED)")
			.withMessageContaining("The card is stolen")
			.satisfies((ex) -> {
				assertThat(ex.getState()).contains(JobState.DEAD);
				Trail trail = ex.getTrail().orElseThrow();
				assertThat(trail.attempts()).hasSize(2);
				assertThat(trail.end()).isNotNull().extracting(Trail.End::reason).isEqualTo(DeadReason.EXHAUSTED);
			});
	}

	@Test
	void callerOfADeadJobThatIsNotKeptGetsItsHistoryToo() {
		JobEngine engine = start(
				parts((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(1).keepDead(false)))));
		this.body = (context) -> {
			throw new IllegalStateException("The card is stolen");
		};
		assertThatExceptionOfType(NoResultException.class)
			.isThrownBy(() -> engine.client().call(work(), Receipt.class, LONG))
			.withMessageContaining("The card is stolen")
			.satisfies((ex) -> assertThat(ex.getTrail().orElseThrow().attempts()).hasSize(1));
		assertThat(jobs()).isEmpty();
	}

	@Test
	void callerOfAJobThatIsCancelledHearsOfIt() {
		JobEngine engine = start(parts());
		this.body = (context) -> {
			engine.operations().job(context.id()).cancel();
			new CountDownLatch(1).await();
			return JobResult.done();
		};
		assertThatExceptionOfType(NoResultException.class)
			.isThrownBy(() -> engine.client().call(work(), Receipt.class, LONG))
			.withMessageContaining("was cancelled")
			.satisfies((ex) -> assertThat(ex.getState()).contains(JobState.CANCELLED));
	}

	@Test
	void callThatIsNotAnsweredInTimeEndsAndTheJobGoesOn() {
		JobEngine engine = start(parts());
		CountDownLatch released = new CountDownLatch(1);
		this.body = (context) -> {
			released.await();
			return JobResult.done("late");
		};
		assertThatExceptionOfType(NotInTimeException.class)
			.isThrownBy(() -> engine.client().call(work(), String.class, Duration.ofMillis(50)))
			.satisfies((ex) -> {
				assertThat(engine.client().result(ex.getJobId(), String.class)).isEmpty();
				released.countDown();
				await("the result is there",
						() -> engine.client()
							.result(ex.getJobId(), String.class)
							.equals(java.util.Optional.of("late")));
			});
	}

	@Test
	void callWaitsForTheJobThatIsThereIfItsOwnIsADuplicate() {
		AtomicInteger enqueues = new AtomicInteger();
		JobEngine engine = build(with(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				List<Enqueued> enqueued = super.enqueue(jobs, now);
				enqueues.incrementAndGet();
				return enqueued;
			}

		}).clock(this.clock), (set) -> set.keepResult(HOUR)));
		returning("one");
		JobRequest unique = work().options((options) -> options.unique("order-7"));
		engine.client().enqueue(unique);
		CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> call(engine, unique));
		await("the call has found the first", () -> enqueues.get() == 2);
		assertThat(jobs()).hasSize(1);
		engine.start();
		assertThat(call).succeedsWithin(LONG).isEqualTo("one");
	}

	private static String call(JobEngine engine, JobRequest request) {
		try {
			return engine.client().call(request, String.class, LONG);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void callIsNotGivenUpWhileItsJobIsBeingStored() throws InterruptedException {
		ForwardingStore slow = new ForwardingStore(this.store) {

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				try {
					new CountDownLatch(1).await(1500, TimeUnit.MILLISECONDS);
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				return super.enqueue(jobs, now);
			}

		};
		JobEngine engine = start(with(new JobEngineBuilder(slow).clock(this.clock), (set) -> {
		}));
		returning("late");
		assertThat(engine.client().call(work(), String.class, LONG)).isEqualTo("late");
	}

	@Test
	void callForAFullQueueIsRejected() {
		JobEngine engine = build(parts());
		engine.client().enqueue(work());
		assertThatExceptionOfType(JobRejectedException.class)
			.isThrownBy(() -> engine.client().call(work().options((set) -> set.maxWaiting(1)), String.class, LONG));
	}

	@Test
	void callInATransactionIsRefused() throws InterruptedException {
		AtomicBoolean transaction = new AtomicBoolean(true);
		JobEngine engine = start(parts().enqueueGate(new EnqueueGate() {

			@Override
			public boolean inTransaction() {
				return transaction.get() && !Thread.currentThread().getName().startsWith("jobs-");
			}

			@Override
			public <T> void hold(List<T> enqueues, Outlet<T> outlet) {
				throw new AssertionError("Nothing is enqueued");
			}

		}));
		returning("done");
		assertThatIllegalStateException().isThrownBy(() -> engine.client().call(work(), String.class, LONG))
			.withMessageContaining("transaction");
		assertThat(jobs()).isEmpty();
		JobRequest beside = work().options((options) -> options.ignoreTransaction());
		assertThat(engine.client().call(beside, String.class, LONG)).isEqualTo("done");
	}

	@Test
	void callOfAJobOfTheSamePoolIsRefused() throws InterruptedException {
		List<@Nullable Object> seen = new ArrayList<>();
		JobEngine engine = start(parts().pool(new PoolOptions("inner", 2, Set.of("inner")))
			.handler("inner", Void.class, (payload, context) -> JobResult.done("inner")));
		this.body = (context) -> {
			try {
				engine.client().call(work(), String.class, LONG);
			}
			catch (IllegalStateException ex) {
				seen.add(ex.getMessage());
			}
			return JobResult.done(engine.client().call(JobRequest.named("inner"), String.class, LONG));
		};
		assertThat(engine.client().call(work(), String.class, LONG)).isEqualTo("inner");
		assertThat(seen).singleElement()
			.asString()
			.contains("'work' holds a thread of the pool")
			.contains("pool of its own");
	}

	@Test
	void valueOfAnotherTypeIsReportedToTheCaller() {
		JobEngine engine = start(parts());
		returning("text");
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> engine.client().call(work(), Receipt.class, LONG))
			.withMessageContaining("The result of job")
			.withMessageContaining("Receipt");
	}

	@Test
	void resultThatIsTooLargeEndsInAClearDeath() {
		JobEngine engine = start(parts());
		returning("x".repeat(2 << 20));
		assertThatExceptionOfType(NoResultException.class)
			.isThrownBy(() -> engine.client().call(work(), String.class, LONG))
			.withMessageContaining("is dead (DISCARDED)")
			.withMessageContaining("its result cannot be kept");
	}

	@Test
	void callerMayWorkByHand() throws InterruptedException {
		JobEngine engine = build(parts());
		engine.workByHand();
		returning("by hand");
		assertThat(engine.client().call(work(), String.class, LONG)).isEqualTo("by hand");
	}

	// --- completion and result

	@Test
	void resultOfAHandlerThatKeepsItIsThereForAnybodyUntilItsTimeIsOver() {
		JobEngine engine = build(parts((set) -> set.keepResult(HOUR)));
		returning(new Receipt("c1", 1));
		String id = engine.client().enqueue(work()).id();
		assertThat(engine.client().result(id, Receipt.class)).isEmpty();
		engine.runUntilIdle();
		JobEngine other = build(builder());
		assertThat(other.client().result(id, Receipt.class)).contains(new Receipt("c1", 1));
		assertThat(other.client().completion(id, Receipt.class)).succeedsWithin(LONG).isEqualTo(new Receipt("c1", 1));
		this.clock.advance(HOUR);
		assertThatExceptionOfType(NoResultException.class).isThrownBy(() -> other.client().result(id, Receipt.class))
			.satisfies((ex) -> assertThat(ex.getState()).isEmpty());
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, this.clock.instant()));
		assertThat(this.store.inspector().ends(List.of(id), this.clock.instant().minus(HOUR))).isEmpty();
	}

	@Test
	void jobWhoseResultIsNotKeptSaysSo() {
		JobEngine engine = build(parts((set) -> set.keepHistory(true)));
		returning("lost");
		String id = engine.client().enqueue(work()).id();
		engine.runUntilIdle();
		assertThatExceptionOfType(NoResultException.class).isThrownBy(() -> engine.client().result(id, String.class))
			.withMessageContaining("has succeeded, but its result is not kept")
			.satisfies((ex) -> assertThat(ex.getState()).contains(JobState.SUCCEEDED));
	}

	@Test
	void completionHearsOfAnEndInAnotherEngine() {
		JobEngine caller = build(builder());
		JobEngine engine = build(parts((set) -> set.keepResult(HOUR)));
		String id = caller.client().enqueue(work()).id();
		returning("there");
		CompletableFuture<String> first = caller.client().completion(id, String.class);
		CompletableFuture<String> second = caller.client().completion(id, String.class);
		second.cancel(false);
		engine.start();
		assertThat(first).succeedsWithin(LONG).isEqualTo("there");
		assertThat(second).isCancelled();
	}

	@Test
	void completionOfAJobThatIsDeletedWhileItWaitsFails() {
		AtomicInteger looks = new AtomicInteger();
		JobEngine engine = build(with(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public JobInspector inspector() {
				looks.incrementAndGet();
				return super.inspector();
			}

		}).clock(this.clock), (set) -> {
		}));
		String id = engine.client().enqueue(work()).id();
		CompletableFuture<String> completion = engine.client().completion(id, String.class);
		// A job that nobody has seen yet may be on its way for longer.
		await("it was seen", () -> looks.get() == 2);
		engine.operations().job(id).delete();
		assertThat(failureOf(completion)).isInstanceOfSatisfying(NoResultException.class,
				(ex) -> assertThat(ex.getState()).isEmpty());
	}

	@Test
	void deadJobThatIsRetriedMaySucceedForTheNextWhoAsk() {
		JobEngine engine = build(parts((set) -> set.keepResult(HOUR)));
		this.body = (context) -> JobResult.discard().message("no money");
		String id = engine.client().enqueue(work()).id();
		engine.runUntilIdle();
		assertThat(failureOf(engine.client().completion(id, String.class))).hasMessageContaining("no money");
		engine.operations().job(id).retry();
		assertThat(engine.client().result(id, String.class)).isEmpty();
		returning("paid");
		engine.runUntilIdle();
		assertThat(engine.client().result(id, String.class)).contains("paid");
	}

	@Test
	void endIsFoundThoughItsSignalIsLost() {
		JobEngine engine = build(parts((set) -> set.keepResult(HOUR)));
		JobEngine deaf = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public Subscription listen(StoreListener listener) {
				return () -> {
				};
			}

		}).clock(this.clock));
		String id = engine.client().enqueue(work()).id();
		returning("quiet");
		CompletableFuture<String> completion = deaf.client().completion(id, String.class);
		engine.runUntilIdle();
		assertThat(completion).succeedsWithin(LONG).isEqualTo("quiet");
	}

	@Test
	void endIsFoundAtOnceWhenSignalsComeAgain() {
		JobEngine engine = build(parts((set) -> set.keepResult(HOUR)));
		AtomicReference<@Nullable StoreListener> listening = new AtomicReference<>();
		AtomicInteger looks = new AtomicInteger();
		JobEngine deaf = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public Subscription listen(StoreListener listener) {
				listening.set(listener);
				return () -> {
				};
			}

			@Override
			public JobInspector inspector() {
				looks.incrementAndGet();
				return super.inspector();
			}

		}).clock(this.clock));
		String id = engine.client().enqueue(work()).id();
		returning("again");
		CompletableFuture<String> completion = deaf.client().completion(id, String.class);
		// The next look is four seconds after the third.
		await("it was looked at three times", () -> looks.get() == 3);
		engine.runUntilIdle();
		Objects.requireNonNull(listening.get()).ready("work", Instant.EPOCH);
		assertThat(completion).succeedsWithin(Duration.ofSeconds(3)).isEqualTo("again");
	}

	@Test
	void allWhoWaitShareOneSubscription() {
		AtomicInteger subscriptions = new AtomicInteger();
		JobStore counting = new ForwardingStore(this.store) {

			@Override
			public Subscription listen(StoreListener listener) {
				subscriptions.incrementAndGet();
				return super.listen(listener);
			}

		};
		JobEngine caller = build(new JobEngineBuilder(counting).clock(this.clock));
		JobEngine engine = build(parts((set) -> set.keepResult(HOUR)).concurrency(20));
		this.body = (context) -> JobResult.done(context.id());
		List<String> ids = engine.client()
			.enqueueAll(IntStream.range(0, 500).mapToObj((i) -> work()).toList())
			.stream()
			.map(Enqueued::id)
			.toList();
		List<CompletableFuture<String>> all = ids.stream()
			.map((id) -> caller.client().completion(id, String.class))
			.toList();
		engine.start();
		IntStream.range(0, 500).forEach((i) -> assertThat(all.get(i)).succeedsWithin(LONG).isEqualTo(ids.get(i)));
		assertThat(subscriptions).hasValue(1);
	}

	@Test
	void clientThatClosesLetsNobodyWait() throws InterruptedException {
		JobEngine engine = build(parts());
		String id = engine.client().enqueue(work()).id();
		CompletableFuture<String> completion = engine.client().completion(id, String.class);
		engine.closeClient();
		assertThat(failureOf(completion)).isInstanceOf(JobRejectedException.class);
		engine.start();
		returning("again");
		assertThat(engine.client().call(work(), String.class, LONG)).isEqualTo("again");
	}

	/**
	 * What a handler does.
	 */
	@FunctionalInterface
	interface Body {

		JobResult run(JobContext context) throws Exception;

	}

	/**
	 * A value with parts.
	 */
	record Receipt(String charge, long cents) {

	}

}
