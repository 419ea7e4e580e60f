package dev.jobs.store.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.JobEvent;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.contract.process.Ledger;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications, or two versions of one, that share a namespace: each has its own
 * handlers and touches nothing else.
 */
class RedisSharedNamespaceTests {

	private final String namespace = TestRedis.newNamespace();

	private final Ledger ledger = new Ledger();

	private final Ledger otherLedger = new Ledger();

	private final RedisApplication application = RedisApplication.onSharedServer(this.namespace, this.ledger);

	private final RedisApplication other = RedisApplication.onSharedServer(this.namespace, this.otherLedger);

	@TempDir
	private Path directory;

	@AfterEach
	void endAll() {
		this.application.close();
		this.other.close();
	}

	private void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
	}

	@Test
	void applicationsRunOnlyTheirOwnJobs() {
		this.application.build((builder) -> builder.handler(this.ledger.handler("invoice")));
		this.other.build((builder) -> builder.handler(this.otherLedger.handler("mail")));
		Set<String> invoices = new HashSet<>();
		Set<String> mails = new HashSet<>();
		for (int i = 0; i < 100; i++) {
			invoices.add(this.other.enqueue("invoice"));
			mails.add(this.application.enqueue("mail"));
		}
		this.application.engine().start();
		this.other.engine().start();
		await(() -> assertThat(this.ledger.ran()).isEqualTo(invoices));
		await(() -> assertThat(this.otherLedger.ran()).isEqualTo(mails));
		assertThat(this.ledger.counts()).containsOnly(1);
		assertThat(this.otherLedger.counts()).containsOnly(1);
		this.other.engine().stopNow();
		this.application.expectEmptyStore();
	}

	@Test
	void rescuerLeavesTheJobsOfAnotherApplicationToIt() {
		this.other.build((builder) -> builder.handler(this.otherLedger.handler("hold")));
		JobEngine engine = this.application.start((builder) -> builder.handler(this.ledger.handler("work")));
		String held = this.other.enqueue("hold");
		try (JobsProcess doomed = JobsProcess.start(this.directory, "server=" + RedisApplication.sharedServer(),
				"namespace=" + this.namespace, "handlers=hold,work", "lease=1500", "beat=300")) {
			doomed.await("start " + held);
		}
		await(() -> assertThat(this.application.leases()).hasSize(1));
		engine.client().enqueue("work");
		await(() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class)).hasSize(1));
		assertThat(this.ledger.reported(JobEvent.Rescued.class)).isEmpty();
		assertThat(this.application.queue("hold").running()).isEqualTo(1);
		this.other.engine().start();
		await(() -> assertThat(this.otherLedger.reported(JobEvent.Succeeded.class)).containsExactly(held));
		await(() -> assertThat(this.otherLedger.reported(JobEvent.Rescued.class)).containsExactly(held));
		this.other.engine().stopNow();
		this.application.expectEmptyStore();
	}

	@Test
	void versionsRunWhatTheyHaveHandlersForAndTheRestWaits() {
		EngineSettings settings = RedisApplication.SETTINGS;
		JobEngine former = this.application.start((builder) -> builder.settings(settings.withVersion("1"))
			.handler(this.ledger.handler("both"))
			.handler(this.ledger.handler("dropped")));
		JobEngine latter = this.other.start((builder) -> builder.settings(settings.withVersion("2"))
			.handler(this.otherLedger.handler("both"))
			.handler(this.otherLedger.handler("added")));
		for (int i = 0; i < 50; i++) {
			for (String name : List.of("both", "dropped", "added")) {
				this.ledger.acknowledge(former.client().enqueue(name).id());
				this.ledger.acknowledge(latter.client().enqueue(name).id());
			}
		}
		await(() -> assertThat(this.ledger.ran().size() + this.otherLedger.ran().size()).isEqualTo(300));
		assertThat(this.ledger.ran()).doesNotContainAnyElementsOf(this.otherLedger.ran());
		assertThat(this.ledger.ran().size()).isGreaterThanOrEqualTo(100);
		assertThat(this.otherLedger.ran().size()).isGreaterThanOrEqualTo(100);
		former.stopNow();
		String waiting = latter.client().enqueue("dropped").id();
		String running = latter.client().enqueue("both").id();
		await(() -> assertThat(this.otherLedger.runs(running)).isEqualTo(1));
		assertThat(this.application.queue("dropped").ready()).isEqualTo(1);
		assertThat(this.application.queue("dropped").served()).isFalse();
		former.start();
		await(() -> assertThat(this.ledger.runs(waiting)).isEqualTo(1));
		latter.stopNow();
		this.application.expectEmptyStore();
	}

}
