package dev.jobs.engine.context;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

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

	private final StoreClock clock = new StoreClock(() -> this.machine, true, () -> this.nanos);

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
		assertThat(this.clock.due(this.clock.now(), Duration.ofDays(5_000_000))).isEqualTo(Millis.LATEST);
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
		assertThat(chosen.until(NOW)).isEqualTo(Duration.ZERO);
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

}
