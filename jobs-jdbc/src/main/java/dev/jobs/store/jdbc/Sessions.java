package dev.jobs.store.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.jobs.store.jdbc.operation.DatabaseCalls;
import dev.jobs.store.jdbc.plain.H2WriteDelay;
import dev.jobs.store.jdbc.signal.Signal;
import dev.jobs.store.jdbc.sql.CallerTransaction;
import dev.jobs.store.jdbc.sql.JoinedSession;
import dev.jobs.store.jdbc.sql.OwnSession;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.Tables;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * The sessions on one database, created on demand, since the database may be down at
 * first.
 */
final class Sessions {

	private final Tables tables;

	private final int timeoutSeconds;

	private final Consumer<Set<Signal>> publisher;

	private final Supplier<Database> database;

	private final Supplier<OwnSession> own;

	private final CallerTransaction transaction;

	private final Map<DataSource, Session> joined = new ConcurrentHashMap<>();

	Sessions(DataSource application, DataSource engine, @Nullable Database known, Tables tables, Duration timeout,
			Consumer<Set<Signal>> publisher, Supplier<@Nullable PlatformTransactionManager> suspended) {
		this.tables = tables;
		this.timeoutSeconds = (int) Math.max(timeout.toSeconds(), 1);
		this.publisher = publisher;
		this.database = SingletonSupplier.of(() -> (known != null) ? known : Database.of(engine));
		this.own = SingletonSupplier.of(() -> open(engine, suspended));
		this.transaction = new CallerTransaction(application);
	}

	private OwnSession open(DataSource engine, Supplier<@Nullable PlatformTransactionManager> suspended) {
		OwnSession session = new OwnSession(engine, database().dialect(), this.tables, this.timeoutSeconds,
				this.publisher, suspended);
		if (database() == Database.H2) {
			H2WriteDelay.turnOff(session);
		}
		return session;
	}

	Database database() {
		return this.database.get();
	}

	/**
	 * Return the calls of a store, which keep state from earlier reads.
	 */
	Supplier<DatabaseCalls> calls() {
		return SingletonSupplier.of(() -> database().calls());
	}

	/**
	 * Return whether only one transaction can write at a time.
	 */
	boolean hasOneWriter() {
		return database().dialect().transactions(this.timeoutSeconds).oneWriter();
	}

	/**
	 * Return the session that is independent of the application's transactions.
	 */
	OwnSession own() {
		return this.own.get();
	}

	/**
	 * Return the session that is a part of the calling thread's transaction, or {@code
	 * null} if there is no transaction to join.
	 */
	@Nullable Session joined() {
		DataSource bound = this.transaction.find();
		return (bound != null) ? this.joined.computeIfAbsent(bound, this::join) : null;
	}

	private Session join(DataSource bound) {
		return new JoinedSession(bound, database().dialect(), this.tables, this.timeoutSeconds, own());
	}

}
