package dev.jobs.engine.context;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.JobStoreException;
import dev.jobs.store.JobStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link StoreClock}.
 */
class StoreClockTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00.123456Z");

	private static final Instant SERVER = Instant.parse("2030-02-02T12:00:00Z");

	private final Logger logger = (Logger) LoggerFactory.getLogger(StoreClock.class);

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private Instant machine = NOW;

	private long nanos = -5;

	private final Deque<Object> answers = new ArrayDeque<>();

	private int asked;

	private final StoreClock clock = new StoreClock(() -> this.machine, true, () -> this.nanos);

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
					return (answer == this.answers) ? null : answer;
				});
	}

	@BeforeEach
	void listen() {
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	@AfterEach
	void stopListening() {
		this.logger.detachAppender(this.appender);
	}

	private List<String> warnings() {
		return this.appender.list.stream()
			.filter((line) -> line.getLevel() == Level.WARN)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private void pass(Duration time) {
		this.nanos += time.toNanos();
		this.machine = this.machine.plus(time);
	}

	@Test
	void showsTheTimeOfTheMachineUntilThatOfTheStoreIsKnown() {
		assertThat(this.clock.now()).isEqualTo(NOW.truncatedTo(ChronoUnit.MILLIS));
	}

	@Test
	void showsTheTimeOfTheStoreAndWhatHasPassedSince() {
		this.clock.learn(SERVER, this.nanos);
		pass(Duration.ofHours(3));
		assertThat(this.clock.now()).isEqualTo(SERVER.plus(Duration.ofHours(3)));
	}

	@Test
	void jumpsOfTheMachineChangeNothing() {
		this.clock.learn(SERVER, this.nanos);
		for (Duration jump : new Duration[] { Duration.ofHours(1), Duration.ofHours(-5), Duration.ofSeconds(4) }) {
			this.machine = this.machine.plus(jump);
			assertThat(this.clock.now()).isEqualTo(SERVER);
			assertThat(this.clock.until(SERVER.plusSeconds(1))).isEqualTo(Duration.ofSeconds(1));
		}
	}

	@Test
	void isNeverAheadOfTheStoreHoweverSlowTheReply() {
		long sent = this.nanos;
		pass(Duration.ofSeconds(3));
		this.clock.learn(SERVER, sent);
		assertThat(this.clock.now()).isEqualTo(SERVER);
	}

	@Test
	void delayIsOverByTheStoresTimeHoweverSlowTheReplyWas() {
		long sent = this.nanos;
		pass(Duration.ofSeconds(3));
		this.clock.learn(SERVER, sent);
		assertThat(this.clock.due(this.clock.now(), Duration.ofSeconds(10))).isEqualTo(SERVER.plusSeconds(13));
		pass(Duration.ofSeconds(5));
		assertThat(this.clock.due(this.clock.now(), Duration.ofSeconds(10))).isEqualTo(SERVER.plusSeconds(18));
		assertThat(this.clock.due(this.clock.now(), Duration.ZERO)).isEqualTo(SERVER.plusSeconds(5));
		assertThat(this.clock.due(this.clock.now(), Duration.ofDays(5_000_000))).isEqualTo(StoreClock.LATEST);
	}

	@Test
	void delayIsExactOnceAReplyWasQuickWhateverCameBeforeAndAfter() {
		long slow = this.nanos;
		pass(Duration.ofSeconds(3));
		this.clock.learn(SERVER, slow);
		this.clock.learn(SERVER.plusSeconds(1), this.nanos);
		assertThat(this.clock.due(this.clock.now(), Duration.ofSeconds(10))).isEqualTo(SERVER.plusSeconds(11));
		long sent = this.nanos;
		pass(Duration.ofSeconds(2));
		this.clock.learn(SERVER.plusSeconds(2), sent);
		assertThat(this.clock.due(this.clock.now(), Duration.ofSeconds(10)))
			.isBetween(SERVER.plusSeconds(13).minusMillis(2), SERVER.plusSeconds(13).plusMillis(2));
		pass(Duration.ofMillis(1));
		this.clock.learn(SERVER.plusSeconds(3600), this.nanos);
		assertThat(this.clock.due(this.clock.now(), Duration.ofSeconds(10))).isEqualTo(SERVER.plusSeconds(3610));
	}

	@Test
	void quickerReplyBringsItCloser() {
		long sent = this.nanos;
		pass(Duration.ofSeconds(3));
		this.clock.learn(SERVER, sent);
		this.clock.learn(SERVER.plusSeconds(2), this.nanos);
		assertThat(this.clock.now()).isEqualTo(SERVER.plusSeconds(2));
	}

	@Test
	void slowReplyDoesNotTakeItAway() {
		this.clock.learn(SERVER, this.nanos);
		long sent = this.nanos;
		pass(Duration.ofSeconds(3));
		this.clock.learn(SERVER.plusSeconds(1), sent);
		assertThat(this.clock.now()).isBetween(SERVER.plusMillis(2998), SERVER.plusSeconds(3));
	}

	@Test
	void followsAStoreWhoseTimeJumps() {
		this.clock.learn(SERVER, this.nanos);
		this.clock.learn(SERVER.plusSeconds(3600), this.nanos);
		assertThat(this.clock.now()).isEqualTo(SERVER.plusSeconds(3600));
		this.clock.learn(SERVER.minusSeconds(3600), this.nanos);
		assertThat(this.clock.now()).isEqualTo(SERVER.minusSeconds(3600));
	}

	@Test
	void counterThatRunsFastDoesNotPutItAheadForLong() {
		this.clock.learn(SERVER, this.nanos);
		Instant server = SERVER;
		for (int i = 0; i < 1000; i++) {
			long sent = this.nanos + Duration.ofMillis(3990).toNanos();
			pass(Duration.ofSeconds(4));
			server = server.plusNanos(Duration.ofSeconds(4).toNanos() - Duration.ofMillis(1).toNanos());
			this.clock.learn(server.minusMillis(10), sent);
		}
		assertThat(Duration.between(server, this.clock.now())).isLessThanOrEqualTo(Duration.ofMillis(1));
	}

	@Test
	void timeThatTheApplicationChoseIsNotCorrected() {
		StoreClock chosen = StoreClock.of(InstantSource.fixed(NOW), "fixed");
		chosen.learn(NOW.plusSeconds(3600), chosen.nanos());
		chosen.askOnce(store());
		chosen.askNowAndThen(this::store);
		assertThat(chosen.until(NOW)).isEqualTo(Duration.ZERO);
		assertThat(this.asked).isZero();
	}

	@Test
	void clockOfTheMachineIsCorrectedWhateverItIsCalled() {
		for (InstantSource source : new InstantSource[] { InstantSource.system(), Clock.systemUTC(),
				Clock.systemDefaultZone(), Clock.system(ZoneId.of("Asia/Tokyo")), Clock.tickMillis(ZoneOffset.UTC),
				Clock.tickSeconds(ZoneId.of("Asia/Tokyo")), Clock.tickMinutes(ZoneOffset.UTC) }) {
			StoreClock machine = StoreClock.of(source, "machine");
			machine.learn(SERVER, machine.nanos());
			assertThat(machine.now()).isBetween(SERVER, SERVER.plusSeconds(600));
		}
	}

	@Test
	void clockOfTheMachineShowsMoreThanItsTicksWhereTheStoreHasNoTime() {
		StoreClock machine = StoreClock.of(Clock.tickMinutes(ZoneOffset.UTC), "machine");
		Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		assertThat(machine.now()).isBetween(before, before.plusSeconds(600));
	}

	@Test
	void timeThatTheApplicationChoseIsWarnedAboutOnceIfTheStoreHasOne() {
		StoreClock chosen = StoreClock.of(Clock.offset(Clock.systemUTC(), Duration.ofHours(1)), "bean 'late'");
		chosen.learn(null, chosen.nanos());
		assertThat(warnings()).isEmpty();
		chosen.learn(SERVER, chosen.nanos());
		chosen.learn(SERVER.plusSeconds(1), chosen.nanos());
		assertThat(warnings()).singleElement().satisfies((line) -> assertThat(line).contains("bean 'late'", "server"));
	}

	@Test
	void timeOfTheMachineIsNotWarnedAbout() {
		this.clock.learn(SERVER, this.nanos);
		StoreClock ticking = StoreClock.of(Clock.tickMillis(ZoneOffset.UTC), "machine");
		ticking.learn(SERVER, ticking.nanos());
		assertThat(warnings()).isEmpty();
	}

	@Test
	void storeIsAskedOnceBeforeAnythingElse() {
		this.answers.add(SERVER);
		this.clock.askOnce(store());
		this.clock.askOnce(store());
		assertThat(this.clock.now()).isEqualTo(SERVER);
		assertThat(this.asked).isEqualTo(1);
	}

	@Test
	void storeWithoutATimeIsNotAskedAgain() {
		this.answers.add(this.answers);
		this.clock.askOnce(store());
		this.clock.askOnce(store());
		this.clock.askNowAndThen(this::store);
		assertThat(this.asked).isEqualTo(1);
		assertThat(this.clock.now()).isBeforeOrEqualTo(NOW);
	}

	@Test
	void storeThatDoesNotAnswerIsReported() {
		JobStoreException fault = new JobStoreException("gone", null, true);
		this.answers.add(fault);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.clock.askOnce(store()))
			.isSameAs(fault);
	}

	@Test
	void storeIsAskedNowAndThen() {
		this.answers.add(SERVER);
		this.clock.askNowAndThen(this::store);
		for (int i = 0; i < 60; i++) {
			pass(Duration.ofSeconds(1));
			this.clock.askNowAndThen(this::store);
		}
		assertThat(this.asked).isEqualTo(1);
		pass(Duration.ofMillis(1));
		this.answers.add(SERVER.plusSeconds(70));
		this.clock.askNowAndThen(this::store);
		assertThat(this.clock.now()).isEqualTo(SERVER.plusSeconds(70));
	}

	@Test
	void jumpOfTheMachineIsAReasonToAsk() {
		this.answers.add(SERVER);
		this.clock.askNowAndThen(this::store);
		this.machine = this.machine.plusSeconds(600);
		this.answers.add(SERVER.plusSeconds(600));
		this.clock.askNowAndThen(this::store);
		this.clock.askNowAndThen(this::store);
		assertThat(this.clock.now()).isEqualTo(SERVER.plusSeconds(600));
		assertThat(this.asked).isEqualTo(2);
	}

	@Test
	void storeThatIsOutOfReachIsLeftAloneForAWhile() {
		this.answers.add(SERVER);
		this.clock.askNowAndThen(this::store);
		pass(Duration.ofSeconds(61));
		this.answers.add(new JobStoreException("gone", null, true));
		this.clock.askNowAndThen(this::store);
		pass(Duration.ofSeconds(59));
		this.clock.askNowAndThen(this::store);
		this.clock.require(this::store);
		assertThat(this.asked).isEqualTo(2);
		pass(Duration.ofSeconds(1));
		this.answers.add(SERVER.plusSeconds(200));
		this.clock.askNowAndThen(this::store);
		assertThat(this.clock.now()).isEqualTo(SERVER.plusSeconds(200));
	}

	@Test
	void timeOfTheMachineIsNotEnoughWhereThatOfTheStoreIsRequired() {
		for (int i = 1; i <= 3; i++) {
			JobStoreException fault = new JobStoreException("gone " + i, null, true);
			this.answers.add(new JobStoreException("slow", null, true));
			this.answers.add(fault);
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.clock.require(this::store))
				.withMessageContaining("gone " + i)
				.withCause(fault)
				.matches(JobStoreException::isRefused)
				.matches(JobStoreException::isTemporary);
			assertThat(this.asked).as("asked twice each time").isEqualTo(2 * i);
		}
		this.answers.add(new JobStoreException("forbidden", null, false));
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.clock.require(this::store))
			.matches((ex) -> !ex.isTemporary());
		this.clock.askNowAndThen(this::store);
		assertThat(this.asked).isEqualTo(7);
		this.answers.add(SERVER);
		this.clock.require(this::store);
		assertThat(this.clock.now()).isEqualTo(SERVER);
		StoreClock.of(InstantSource.fixed(NOW), "fixed").require(this::store);
		this.answers.add(this.answers);
		new StoreClock(() -> this.machine, true, () -> this.nanos).require(this::store);
		assertThat(this.asked).isEqualTo(9);
	}

	@Test
	void threadsThatWaitForTheSameAnswerShareItsFault() throws Exception {
		CountDownLatch answer = new CountDownLatch(1);
		AtomicInteger calls = new AtomicInteger();
		Queue<JobStoreException> faults = new ConcurrentLinkedQueue<>();
		StoreClock real = new StoreClock(() -> this.machine, true);
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
