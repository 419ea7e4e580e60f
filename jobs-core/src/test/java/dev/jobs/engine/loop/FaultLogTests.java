package dev.jobs.engine.loop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.JobStoreException;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FaultLog}.
 */
@ExpectsFaults({ "broken", "flaky" })
class FaultLogTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(FaultLogTests.class);

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

	private final FaultLog log = new FaultLog(this.logger, "claim", this.nanos::get);

	@BeforeEach
	void listen() {
		this.appender.start();
		this.logger.setLevel(Level.INFO);
		this.logger.addAppender(this.appender);
	}

	@AfterEach
	void stop() {
		this.logger.detachAppender(this.appender);
	}

	private List<String> lines() {
		return this.appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	private void pass(Duration duration) {
		this.nanos.addAndGet(duration.toNanos());
	}

	@Test
	void faultsAndSuccessesInTurnAreTwoLinesAnInterval() {
		for (int i = 0; i < 120; i++) {
			this.log.failed(new IllegalStateException("flaky"), 1);
			this.log.succeeded(1);
			pass(Duration.ofSeconds(1));
		}
		assertThat(lines()).hasSize(8)
			.startsWith("Loop 'claim' failed 1 time(s) in a row and keeps trying",
					"Loop 'claim' works again after 1 fault(s) in a row",
					"Loop 'claim' failed 1 time(s) in a row and keeps trying (29 faults since the last such line)");
	}

	@Test
	void faultsInARowAreOneLineAnInterval() {
		for (int i = 1; i <= 90; i++) {
			this.log.failed(new JobStoreException("down", new IllegalStateException("refused"), true), i);
			pass(Duration.ofSeconds(1));
		}
		this.log.succeeded(90);
		assertThat(lines()).hasSize(4);
		assertThat(lines().get(1)).startsWith("Loop 'claim' failed 31 time(s) in a row")
			.contains("(29 faults since the last such line)")
			.contains("down");
		assertThat(lines().get(3)).isEqualTo("Loop 'claim' works again after 90 fault(s) in a row");
	}

	@Test
	void successIsNotLoggedIfItsFaultsWereNot() {
		this.log.failed(new IllegalStateException("flaky"), 1);
		this.log.succeeded(1);
		this.log.failed(new IllegalStateException("flaky"), 1);
		this.log.succeeded(1);
		assertThat(lines()).hasSize(2);
	}

	@Test
	void outageThatAllLoopsNoticeIsOneLine() {
		FaultLog other = new FaultLog(this.logger, "beat", this.nanos::get);
		Outages outages = new Outages();
		this.log.share(outages);
		other.share(outages);
		IllegalStateException refused = new IllegalStateException("refused");
		this.log.failed(new JobStoreException("down", refused, true), 1);
		other.failed(new JobStoreException("no connection", refused, true), 1);
		other.failed(new JobStoreException("slow", new IllegalStateException("too slow"), true), 2);
		assertThat(lines()).hasSize(2);
		assertThat(lines().get(0)).startsWith("Loop 'claim'").contains("down");
		assertThat(lines().get(1)).startsWith("Loop 'beat'").contains("slow");
	}

	@Test
	void unexpectedFaultIsLoggedWithItsStack() {
		this.log.failed(new IllegalStateException("broken"), 1);
		assertThat(this.appender.list.get(0).getThrowableProxy().getMessage()).isEqualTo("broken");
		assertThat(this.appender.list.get(0).getThrowableProxy().getStackTraceElementProxyArray()).isNotEmpty();
	}

}
