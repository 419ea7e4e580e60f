package dev.jobs.docs.migrate;

import java.time.Duration;
import java.util.Map;

import dev.jobs.JobClient;
import dev.jobs.docs.migrate.FromQuartz.SettleShop;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the code that the migration guides lead to.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class MigrateTests {

	@Autowired
	private JobClient client;

	@Autowired
	private TestJobs jobs;

	@Autowired
	private FromScheduled scheduled;

	@Autowired
	private FromAsync async;

	@Autowired
	private FromQuartz quartz;

	@Autowired
	private FromJobRunr jobRunr;

	@Autowired
	private FromDbScheduler dbScheduler;

	@Autowired
	private FromSidekiq sidekiq;

	@BeforeEach
	void clear() {
		this.jobs.clear();
	}

	@Test
	void accountsAreClosedAtNight() {
		int before = this.scheduled.closed;
		this.jobs.advance(Duration.ofDays(1));
		assertThat(this.scheduled.closed).isEqualTo(before + 1);
	}

	@Test
	void newCustomerIsWelcomed() {
		this.async.register("ada@example.org");
		this.jobs.runUntilIdle();
		assertThat(this.async.sent).containsExactly("ada@example.org");
	}

	@Test
	void shopIsSettledOnce() {
		this.client.enqueue(new SettleShop("paris"));
		this.client.enqueue(new SettleShop("paris"));
		this.jobs.runUntilIdle();
		assertThat(this.quartz.shops).containsExactly("paris");
	}

	@Test
	void orderIsArchivedNowAndLater() {
		this.jobRunr.archive(7, this.jobs.now().plusSeconds(60));
		this.jobs.advance(Duration.ofMinutes(1));
		assertThat(this.jobRunr.archived).containsExactly(7L, 7L);
	}

	@Test
	void reminderComesTheNextDayAndOnce() {
		this.dbScheduler.remindTomorrow(7);
		this.dbScheduler.remindTomorrow(7);
		assertThat(this.jobs.waiting("remind")).hasSize(1);
		this.jobs.advance(Duration.ofDays(1));
		assertThat(this.jobs.waiting("remind")).isEmpty();
	}

	@Test
	void namedArgumentsAreRead() {
		this.client.enqueue("resize-image", Map.of("file", "teapot.png", "width", 320));
		this.jobs.runUntilIdle();
		assertThat(this.sidekiq.resized).containsExactly("teapot.png at 320");
	}

}
