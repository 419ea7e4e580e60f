package dev.jobs.sample;

import java.io.IOException;
import java.time.Duration;

import dev.jobs.Enqueued;
import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import dev.jobs.store.redis.RedisJobStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the shop with its sales in PostgreSQL and its jobs in Redis.
 */
@SpringBootTest(properties = { "sample.customers=-", "spring.data.redis.host=127.0.0.1", "jobs.shutdown.grace=1s" })
@ActiveProfiles({ "postgres", "redis", "outbox" })
@DirtiesContext
class ShopOutboxTests {

	private static RedisServer server;

	@Autowired
	private Invoices invoices;

	@Autowired
	private JobStore store;

	@Autowired
	private JdbcClient database;

	@Autowired
	private TransactionTemplate transactions;

	@DynamicPropertySource
	static void startRedis(DynamicPropertyRegistry properties) throws IOException {
		int port = Ports.reserve();
		server = RedisServer.newRedisServer().port(port).bind("127.0.0.1").onShutdownForceStop(true).build();
		server.start();
		properties.add("spring.data.redis.port", () -> port);
	}

	@AfterAll
	static void stopRedis() throws IOException {
		server.stop();
	}

	@Test
	void invoiceIsWrittenByAJobInRedisThatIsCommittedWithItsSale() {
		assertThat(this.store).isInstanceOf(RedisJobStore.class);
		this.transactions.executeWithoutResult((transaction) -> {
			this.invoices.sell(new WriteInvoice("rolled-back@example.org", 1));
			transaction.setRollbackOnly();
		});
		Enqueued enqueued = this.invoices.sell(new WriteInvoice("ada@example.org", 1250));
		assertThat(enqueued.outcome()).isEqualTo(Enqueued.Outcome.DEFERRED);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.invoices.written())
				.containsExactly(new WriteInvoice("ada@example.org", 1250)));
		assertThat(this.database.sql("select count(*) from jobs_outbox").query(Long.class).single()).isZero();
	}

}
