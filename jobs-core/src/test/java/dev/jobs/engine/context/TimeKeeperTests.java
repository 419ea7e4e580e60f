package dev.jobs.engine.context;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.jobs.JobStoreException;
import dev.jobs.store.JobStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TimeKeeper}.
 */
class TimeKeeperTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00.123456Z");

	private static final Instant SERVER = Instant.parse("2030-02-02T12:00:00Z");

	private Instant machine = NOW;

	private long nanos = -5;

	private final Deque<Object> answers = new ArrayDeque<>();

	private int asked;

	private final StoreClock clock = new StoreClock(() -> this.machine, true, () -> this.nanos);

	private final TimeKeeper keeper = new TimeKeeper(this.clock);

	/**
	 * Return a store that can be asked for the time, and for nothing else.
	 */
	private JobStore store() {
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, values) -> {
					assertThat(method.getName()).isEqualTo("time");
					this.asked++;
					Object answer = this.answers.remove();
					if (answer instanceof RuntimeException fault) {
						throw fault;
					}
					return (answer == this.answers) ? Optional.empty() : Optional.of(answer);
				});
	}

	private void pass(Duration time) {
		this.nanos += time.toNanos();
		this.machine = this.machine.plus(time);
	}

	@Test
	void timeThatTheApplicationChoseIsNotAskedFor() {
		TimeKeeper chosen = new TimeKeeper(StoreClock.of(InstantSource.fixed(NOW), "fixed"));
		chosen.askOnce(store());
		chosen.askNowAndThen(this::store);
		assertThat(this.asked).isZero();
	}

	@Test
	void storeIsAskedOnceBeforeAnythingElse() {
		this.answers.add(SERVER);
		this.keeper.askOnce(store());
		this.keeper.askOnce(store());
		assertThat(this.clock.now()).isEqualTo(SERVER);
		assertThat(this.asked).isEqualTo(1);
	}

	@Test
	void storeWithoutATimeIsNotAskedAgain() {
		this.answers.add(this.answers);
		this.keeper.askOnce(store());
		this.keeper.askOnce(store());
		this.keeper.askNowAndThen(this::store);
		assertThat(this.asked).isEqualTo(1);
		assertThat(this.clock.now()).isBeforeOrEqualTo(NOW);
	}

	@Test
	void storeThatDoesNotAnswerIsReported() {
		JobStoreException fault = new JobStoreException("gone", null, true);
		this.answers.add(fault);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.keeper.askOnce(store()))
			.isSameAs(fault);
	}

	@Test
	void storeIsAskedNowAndThen() {
		this.answers.add(SERVER);
		this.keeper.askNowAndThen(this::store);
		for (int i = 0; i < 60; i++) {
			pass(Duration.ofSeconds(1));
			this.keeper.askNowAndThen(this::store);
		}
		assertThat(this.asked).isEqualTo(1);
		pass(Duration.ofMillis(1));
		this.answers.add(SERVER.plusSeconds(70));
		this.keeper.askNowAndThen(this::store);
		assertThat(this.clock.now()).isEqualTo(SERVER.plusSeconds(70));
	}

	@Test
	void jumpOfTheMachineIsAReasonToAsk() {
		this.answers.add(SERVER);
		this.keeper.askNowAndThen(this::store);
		this.machine = this.machine.plusSeconds(600);
		this.answers.add(SERVER.plusSeconds(600));
		this.keeper.askNowAndThen(this::store);
		this.keeper.askNowAndThen(this::store);
		assertThat(this.clock.now()).isEqualTo(SERVER.plusSeconds(600));
		assertThat(this.asked).isEqualTo(2);
	}

	@Test
	void storeThatIsOutOfReachIsLeftAloneForAWhile() {
		this.answers.add(SERVER);
		this.keeper.askNowAndThen(this::store);
		pass(Duration.ofSeconds(61));
		this.answers.add(new JobStoreException("gone", null, true));
		this.keeper.askNowAndThen(this::store);
		pass(Duration.ofSeconds(59));
		this.keeper.askNowAndThen(this::store);
		this.keeper.require(this::store);
		assertThat(this.asked).isEqualTo(2);
		pass(Duration.ofSeconds(1));
		this.answers.add(SERVER.plusSeconds(200));
		this.keeper.askNowAndThen(this::store);
		assertThat(this.clock.now()).isEqualTo(SERVER.plusSeconds(200));
	}

	@Test
	void timeOfTheMachineIsNotEnoughWhereThatOfTheStoreIsRequired() {
		for (int i = 1; i <= 3; i++) {
			JobStoreException fault = new JobStoreException("gone " + i, null, true);
			this.answers.add(new JobStoreException("slow", null, true));
			this.answers.add(fault);
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.keeper.require(this::store))
				.withMessageContaining("gone " + i)
				.withCause(fault)
				.matches(JobStoreException::isRefused)
				.matches(JobStoreException::isTemporary);
			assertThat(this.asked).as("asked twice each time").isEqualTo(2 * i);
		}
		this.answers.add(new JobStoreException("forbidden", null, false));
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.keeper.require(this::store))
			.matches((ex) -> !ex.isTemporary());
		this.keeper.askNowAndThen(this::store);
		assertThat(this.asked).isEqualTo(7);
		this.answers.add(SERVER);
		this.keeper.require(this::store);
		assertThat(this.clock.now()).isEqualTo(SERVER);
		new TimeKeeper(StoreClock.of(InstantSource.fixed(NOW), "fixed")).require(this::store);
		this.answers.add(this.answers);
		new TimeKeeper(new StoreClock(() -> this.machine, true, () -> this.nanos)).require(this::store);
		assertThat(this.asked).isEqualTo(9);
	}

	@Test
	void threadsThatWaitForTheSameAnswerShareItsFault() throws Exception {
		CountDownLatch answer = new CountDownLatch(1);
		AtomicInteger calls = new AtomicInteger();
		Queue<JobStoreException> faults = new ConcurrentLinkedQueue<>();
		TimeKeeper real = new TimeKeeper(new StoreClock(() -> this.machine, true));
		List<Thread> threads = IntStream.range(0, 4)
			.mapToObj((i) -> new Thread(() -> assertThatExceptionOfType(JobStoreException.class)
				.isThrownBy(() -> real.require(() -> failAfter(answer, calls)))
				.satisfies(faults::add)))
			.toList();
		threads.forEach(Thread::start);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollInterval(Duration.ofMillis(1))
			.until(() -> threads.stream().allMatch((thread) -> thread.getState() == Thread.State.WAITING));
		answer.countDown();
		for (Thread thread : threads) {
			thread.join(60_000);
		}
		assertThat(faults).hasSize(4);
		assertThat(calls).hasValue(1);
	}

	private static JobStore failAfter(CountDownLatch answer, AtomicInteger calls) {
		calls.incrementAndGet();
		try {
			answer.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		throw new JobStoreException("gone", null, false);
	}

}
