package dev.jobs.engine.loop;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.jobs.engine.context.StoreClock;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link PollLoop}.
 */
class PollLoopTests {

	private static final Duration LONG = Duration.ofHours(1);

	private final Semaphore polled = new Semaphore(0);

	private final AtomicInteger polls = new AtomicInteger();

	private PollLoop loop = loop(() -> LONG);

	private PollLoop loop(PollLoop.Task task) {
		this.loop = new PollLoop("test", () -> {
			this.polls.incrementAndGet();
			try {
				return task.poll();
			}
			finally {
				this.polled.release();
			}
		}, new StoreClock(InstantSource.system(), true));
		return this.loop;
	}

	@AfterEach
	void stop() {
		this.loop.stop();
	}

	private void awaitPoll() throws InterruptedException {
		assertThat(this.polled.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void taskIsDoneAtOnceAndThenRests() throws InterruptedException {
		loop(() -> LONG).start();
		awaitPoll();
		await().until(() -> this.loop.thread() != null && this.loop.thread().getState() == Thread.State.TIMED_WAITING);
		assertThat(this.polls).hasValue(1);
	}

	@Test
	void taskIsDoneAgainAfterItsRest() throws InterruptedException {
		loop(() -> Duration.ofMillis(1)).start();
		awaitPoll();
		awaitPoll();
		awaitPoll();
	}

	@Test
	void wakingEndsTheRest() throws InterruptedException {
		loop(() -> LONG).start();
		awaitPoll();
		this.loop.wake();
		awaitPoll();
	}

	@Test
	void wakingDuringThePollLeadsToAnother() throws InterruptedException {
		loop(() -> {
			if (this.polls.get() == 1) {
				this.loop.wake();
			}
			return LONG;
		}).start();
		awaitPoll();
		awaitPoll();
	}

	@Test
	void noWakeIsLost() throws InterruptedException {
		loop(() -> LONG).start();
		awaitPoll();
		for (int i = 0; i < 20_000; i++) {
			this.loop.wake();
			awaitPoll();
		}
	}

	@Test
	@ExpectsFaults("deep")
	void faultsDoNotEndTheLoop() throws InterruptedException {
		loop(() -> {
			if (this.polls.get() < 4) {
				throw new StackOverflowError("deep");
			}
			return LONG;
		}).start();
		for (int i = 0; i < 4; i++) {
			awaitPoll();
		}
		await().until(() -> this.loop.status().faults() == 0);
	}

	/** Only the least that each rest takes is certain on a busy machine. */
	@Test
	@ExpectsFaults("broken")
	void restGrowsWithTheFaultsInARow() throws InterruptedException {
		List<Long> nanos = new CopyOnWriteArrayList<>();
		loop(() -> {
			nanos.add(System.nanoTime());
			throw new IllegalStateException("broken");
		}).start();
		for (int i = 0; i < 6; i++) {
			awaitPoll();
		}
		for (int i = 0; i < 5; i++) {
			assertThat(Duration.ofNanos(nanos.get(i + 1) - nanos.get(i))).as("rest after fault " + (i + 1))
				.isGreaterThanOrEqualTo(Duration.ofMillis(10L << (i + 1)).minusMillis(1));
		}
	}

	/** However long an outage is, a loop notices its end within two seconds. */
	@Test
	void restAfterFaultsIsTwoSecondsAtMost() {
		assertThat(PollLoop.restAfter(1)).isEqualTo(Duration.ofMillis(20));
		assertThat(PollLoop.restAfter(7)).isEqualTo(Duration.ofMillis(1280));
		assertThat(IntStream.of(8, 9, 10, 11, 1000, Integer.MAX_VALUE).mapToObj(PollLoop::restAfter))
			.containsOnly(Duration.ofSeconds(2));
	}

	@Test
	void taskThatWantsNoRestIsDoneAgainAtOnce() throws InterruptedException {
		loop(() -> (this.polls.get() < 1000) ? Duration.ZERO : LONG).start();
		for (int i = 0; i < 1000; i++) {
			awaitPoll();
		}
	}

	@Test
	@ExpectsFaults("broken")
	void faultsAreCountedUntilASuccess() throws InterruptedException {
		loop(() -> {
			throw new IllegalStateException("broken");
		}).start();
		awaitPoll();
		awaitPoll();
		await().until(() -> this.loop.status().faults() >= 2);
	}

	@Test
	void lagGrowsWhileAPollHangsAndNotWhileTheLoopRests() throws InterruptedException {
		CountDownLatch open = new CountDownLatch(1);
		loop(() -> {
			if (this.polls.get() == 2) {
				open.await();
			}
			return LONG;
		}).start();
		awaitPoll();
		await().until(() -> this.loop.status().lag().isZero());
		this.loop.wake();
		await().until(() -> this.loop.status().lag().toMillis() > 50);
		open.countDown();
		await().until(() -> this.loop.status().lag().isZero());
	}

	@Test
	void stoppedLoopEnds() throws InterruptedException {
		loop(() -> LONG).start();
		awaitPoll();
		this.loop.stop();
		Thread thread = this.loop.thread();
		assertThat(thread).isNotNull();
		thread.join(10_000);
		assertThat(thread.isAlive()).isFalse();
	}

}
