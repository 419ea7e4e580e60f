package dev.jobs.engine.enqueue;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link GroupCommit}.
 */
class GroupCommitTests {

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	@Test
	void loneCallIsSentAtOnceOnItsOwnThread() {
		List<Thread> senders = new ArrayList<>();
		GroupCommit commit = commit(10, (items) -> {
			senders.add(Thread.currentThread());
			return items.stream().map((item) -> item * 2).toList();
		});
		assertThat(enqueue(commit, 21)).isEqualTo(42);
		assertThat(senders).containsExactly(Thread.currentThread());
	}

	@Test
	void callsThatArriveWhileTwoBatchesAreSentGoTogether() throws Exception {
		CountDownLatch sending = new CountDownLatch(2);
		CountDownLatch firstMayGoOn = new CountDownLatch(1);
		CountDownLatch secondMayGoOn = new CountDownLatch(1);
		List<List<Integer>> batches = new CopyOnWriteArrayList<>();
		GroupCommit commit = commit(100, (items) -> {
			batches.add(List.copyOf(items));
			if (items.size() == 1) {
				sending.countDown();
				await(items.contains(0) ? firstMayGoOn : secondMayGoOn);
			}
			return items;
		});
		Future<Integer> first = this.threads.submit(() -> enqueue(commit, 0));
		until(() -> !batches.isEmpty());
		Future<Integer> second = this.threads.submit(() -> enqueue(commit, 9));
		assertThat(sending.await(10, TimeUnit.SECONDS)).isTrue();
		List<Future<Integer>> rest = submitAll(commit, IntStream.rangeClosed(1, 8));
		firstMayGoOn.countDown();
		assertThat(first.get(10, TimeUnit.SECONDS)).isZero();
		for (int i = 0; i < 8; i++) {
			assertThat(rest.get(i).get(10, TimeUnit.SECONDS)).isEqualTo(i + 1);
		}
		secondMayGoOn.countDown();
		assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(9);
		assertThat(batches).hasSize(3);
		assertThat(batches.get(2)).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8);
	}

	@Test
	void largeBatchThatTakesLongHoldsNobodyElseUp() throws Exception {
		List<CountDownLatch> small = List.of(new CountDownLatch(1), new CountDownLatch(1));
		CountDownLatch large = new CountDownLatch(1);
		AtomicInteger begun = new AtomicInteger();
		GroupCommit commit = commit(100, (items) -> {
			begun.incrementAndGet();
			if (items.get(0) < 10) {
				await((items.size() > 1) ? large : small.get(items.get(0)));
			}
			return items;
		});
		for (int i = 0; i < 2; i++) {
			int item = i;
			this.threads.submit(() -> enqueue(commit, item));
			until(() -> begun.get() > item);
		}
		List<Future<Integer>> together = submitAll(commit, IntStream.rangeClosed(2, 9));
		small.get(0).countDown();
		until(() -> begun.get() == 3);
		small.get(1).countDown();
		assertThat(this.threads.submit(() -> enqueue(commit, 10)).get(10, TimeUnit.SECONDS)).isEqualTo(10);
		assertThat(together).noneMatch(Future::isDone);
		large.countDown();
		assertThat(together.get(0).get(10, TimeUnit.SECONDS)).isEqualTo(2);
	}

	/**
	 * Submit items, each from a thread of its own, and return when all wait.
	 */
	private List<Future<Integer>> submitAll(GroupCommit commit, IntStream items) {
		List<Thread> callers = new CopyOnWriteArrayList<>();
		List<Future<Integer>> results = items.mapToObj((item) -> this.threads.submit(() -> {
			callers.add(Thread.currentThread());
			return enqueue(commit, item);
		})).toList();
		until(() -> callers.size() == results.size() && callers.stream().allMatch((thread) -> isAsleep(thread)));
		return results;
	}

	private static boolean isAsleep(Thread thread) {
		return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
	}

	@Test
	void eachOfManyConcurrentCallsGetsItsOwnResult() throws Exception {
		GroupCommit commit = commit(7, (items) -> items.stream().map((i) -> -i).toList());
		List<Callable<Boolean>> callers = IntStream.range(0, 16)
			.mapToObj((caller) -> (Callable<Boolean>) () -> IntStream.range(0, 5000)
				.allMatch((i) -> enqueue(commit, caller * 10_000 + i) == -(caller * 10_000 + i)))
			.toList();
		for (Future<Boolean> all : this.threads.invokeAll(callers, 60, TimeUnit.SECONDS)) {
			assertThat(all.get()).isTrue();
		}
	}

	@Test
	void noBatchIsLargerThanAllowed() throws Exception {
		AtomicBoolean tooLarge = new AtomicBoolean();
		GroupCommit commit = commit(3, (items) -> {
			tooLarge.compareAndSet(false, items.size() > 3);
			return items;
		});
		List<Callable<Integer>> callers = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			int item = i;
			callers.add(() -> enqueue(commit, item));
		}
		List<Future<Integer>> results = this.threads.invokeAll(callers, 60, TimeUnit.SECONDS);
		for (int i = 0; i < 200; i++) {
			assertThat(results.get(i).get()).isEqualTo(i);
		}
		assertThat(tooLarge).isFalse();
	}

	@Test
	void faultReachesEveryCallerOfTheBatchAndNoOther() throws Exception {
		CountDownLatch loneMayGoOn = new CountDownLatch(1);
		AtomicInteger lone = new AtomicInteger();
		GroupCommit commit = commit(10, (items) -> {
			if (items.size() > 1) {
				throw new IllegalStateException("broken " + items.size());
			}
			lone.incrementAndGet();
			await(loneMayGoOn);
			return items;
		});
		Future<Integer> first = this.threads.submit(() -> enqueue(commit, 0));
		until(() -> lone.get() == 1);
		Future<Integer> second = this.threads.submit(() -> enqueue(commit, 9));
		until(() -> lone.get() == 2);
		List<Future<Integer>> together = submitAll(commit, IntStream.rangeClosed(1, 8));
		loneMayGoOn.countDown();
		for (Future<Integer> each : together) {
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> each.get(10, TimeUnit.SECONDS))
				.havingCause()
				.isInstanceOf(IllegalStateException.class)
				.withMessage("broken 8");
		}
		assertThat(first.get(10, TimeUnit.SECONDS)).isZero();
		assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(9);
		assertThat(enqueue(commit, 2)).isEqualTo(2);
	}

	@Test
	void interruptionOfACallerIsKept() {
		GroupCommit commit = commit(10, (items) -> items);
		Thread.currentThread().interrupt();
		assertThat(enqueue(commit, 1)).isEqualTo(1);
		assertThat(Thread.interrupted()).isTrue();
	}

	/**
	 * Create a group commit to a store that takes numbers for jobs.
	 */
	private static GroupCommit commit(int largest, UnaryOperator<List<Integer>> store) {
		JobStore answering = (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(),
				new Class<?>[] { JobStore.class },
				(proxy, method, values) -> method.getName().equals("as") ? Optional.empty()
						: store.apply(((List<?>) values[0]).stream().map((job) -> number(((NewJob) job).id())).toList())
							.stream()
							.map((number) -> Enqueued.of("" + number, Enqueued.Outcome.NEW, Instant.EPOCH))
							.toList());
		return new GroupCommit(answering, new StoreClock(StoreClock.SYSTEM, true), largest);
	}

	private static int enqueue(GroupCommit commit, int number) {
		return number(commit.enqueue(NewJob.of("" + number, "any", new byte[0], Instant.EPOCH)).id());
	}

	private static int number(String id) {
		return Integer.parseInt(id);
	}

	private static void until(BooleanSupplier condition) {
		long begun = System.nanoTime();
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.MINUTES.toNanos(1));
			Thread.onSpinWait();
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
