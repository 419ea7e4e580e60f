package dev.jobs.benchmarks.subject;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Pings;
import dev.jobs.benchmarks.store.PostgresStores;
import dev.jobs.benchmarks.store.UncheckedSqlException;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The floor of everything in PostgreSQL: the store's own statements without an engine for
 * what goes in batches, and the least that PostgreSQL and the JDK offer for the rest.
 */
final class PostgresFloor implements Subject {

	private static final int WAIT_MILLIS = 1000;

	private final PostgresStores stores;

	private final StoreDriver driver;

	private final RowLoops rows;

	private final ExecutorSubject executor = new ExecutorSubject();

	PostgresFloor(PostgresStores stores, StoreDriver driver) {
		this.stores = stores;
		this.driver = driver;
		this.rows = new RowLoops(stores);
	}

	@Override
	public long drain(Load load) {
		return this.driver.drain(load);
	}

	@Override
	public long enqueue(Load load, int threads, int batch) {
		return (batch == 1) ? this.rows.enqueue(load, threads) : this.driver.enqueue(load, threads, batch);
	}

	/** {@code NOTIFY}, with nothing written to a table, and a connection that listens. */
	@Override
	public long[] latencies(Load load, Duration pause) {
		String channel = "benchmark_" + UUID.randomUUID().toString().replace("-", "");
		Pings pings = new Pings(load.jobs());
		try (Connection sending = this.stores.connect();
				Connection listening = this.stores.connect();
				Statement notify = sending.createStatement();
				Statement listen = listening.createStatement()) {
			listen.execute("listen " + channel);
			PGConnection notified = listening.unwrap(PGConnection.class);
			Thread receiver = new Thread(() -> receive(notified, pings, load.jobs()));
			receiver.setDaemon(true);
			receiver.start();
			return pings.time(pause, (job) -> send(notify, channel, job));
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	private static void send(Statement notify, String channel, int job) {
		try {
			notify
				.execute("notify " + channel + ", '" + new String(Payload.encoded(job), StandardCharsets.UTF_8) + "'");
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	private static void receive(PGConnection notified, Pings pings, int jobs) {
		try {
			for (int left = jobs; left > 0;) {
				PGNotification[] news = notified.getNotifications(WAIT_MILLIS);
				for (int i = 0; news != null && i < news.length; i++) {
					if (Payload.READER.read(Payload.bytes(news[i].getParameter())) instanceof Payload payload) {
						pings.arrived(payload.i());
						left--;
					}
				}
			}
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	@Override
	public long[] lateness(Load load, Duration time) {
		return this.executor.lateness(load, time);
	}

	@Override
	public Idling idle(Load load) {
		return this.executor.idle(load);
	}

}
