package dev.jobs.benchmarks.peer;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.store.PostgresStores;
import dev.jobs.benchmarks.subject.Subject;

/**
 * Another library on tables of its own. It is slower, so it gets fewer jobs, and what it
 * took is counted up to the whole load.
 */
abstract class PeerSubject implements Subject {

	private static final int MOST_JOBS = 20_000;

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final PostgresStores stores;

	PeerSubject(PostgresStores stores) {
		this.stores = stores;
	}

	@Override
	public final long drain(Load load) {
		return measure(load, this::drain);
	}

	@Override
	public final long enqueue(Load load, int threads, int batch) {
		return measure(load, (fewer, prefix, pool) -> enqueue(fewer, prefix, pool, threads, batch));
	}

	private long measure(Load load, Measurement measurement) {
		Load fewer = new Load(Math.min(load.jobs(), MOST_JOBS), load.queues(), load.concurrency());
		String prefix = this.stores.newNamespace();
		// Each of its threads may want a connection, and so does what feeds them.
		try (HikariDataSource pool = this.stores.pool(load.concurrency() + 4)) {
			return Math.round((double) load.jobs() / fewer.jobs() * measurement.of(fewer, prefix, pool));
		}
		finally {
			this.stores.purge(prefix);
		}
	}

	abstract long drain(Load load, String prefix, HikariDataSource pool);

	abstract long enqueue(Load load, String prefix, HikariDataSource pool, int threads, int batch);

	static void await(BooleanSupplier settled) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (!settled.getAsBoolean()) {
			if (System.nanoTime() > end) {
				throw new IllegalStateException("Not every job was settled");
			}
			LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
		}
	}

	@Override
	public long[] latencies(Load load, Duration pause) {
		throw new UnsupportedOperationException();
	}

	@Override
	public long[] lateness(Load load, Duration time) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Idling idle(Load load) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Measures something in tables with a prefix.
	 */
	@FunctionalInterface
	private interface Measurement {

		long of(Load load, String prefix, HikariDataSource pool);

	}

}
