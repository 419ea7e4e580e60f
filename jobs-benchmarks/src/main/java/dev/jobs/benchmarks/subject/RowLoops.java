package dev.jobs.benchmarks.subject;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Producers;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.PostgresStores;
import dev.jobs.benchmarks.store.UncheckedSqlException;

/**
 * Threads that each insert one row after the other into a table that has the columns and
 * the indexes of the store's, and commit each, on a connection of its own.
 */
final class RowLoops {

	private static final int READY = 1;

	private final PostgresStores stores;

	RowLoops(PostgresStores stores) {
		this.stores = stores;
	}

	long enqueue(Load load, int threads) {
		String namespace = this.stores.newNamespace();
		this.stores.createTables(namespace);
		List<Connection> connections = new ArrayList<>();
		try {
			for (int thread = 0; thread < threads; thread++) {
				connections.add(this.stores.connect());
			}
			StoreJobs jobs = new StoreJobs(load.names());
			System.gc();
			return Producers.time(threads, threads, 1,
					(thread, next) -> insert(connections.get(thread), namespace, load, jobs, thread, threads));
		}
		finally {
			connections.forEach(RowLoops::close);
			this.stores.purge(namespace);
		}
	}

	private static void insert(Connection connection, String namespace, Load load, StoreJobs jobs, int first,
			int step) {
		try (PreparedStatement insert = connection.prepareStatement("insert into " + namespace
				+ "job (id, queue, state, due_at, since, created_at, payload) values (?, ?, ?, ?, ?, ?, ?)")) {
			for (int i = first; i < load.jobs(); i += step) {
				String queue = jobs.queue(i);
				long now = StoreJobs.now().toEpochMilli();
				insert.setString(1, jobs.id(queue));
				insert.setString(2, queue);
				insert.setInt(3, READY);
				insert.setLong(4, now);
				insert.setLong(5, now);
				insert.setLong(6, now);
				insert.setBytes(7, Payload.encoded(i));
				insert.executeUpdate();
			}
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	private static void close(Connection connection) {
		try {
			connection.close();
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

}
