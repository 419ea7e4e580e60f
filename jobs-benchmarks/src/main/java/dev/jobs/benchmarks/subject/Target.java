package dev.jobs.benchmarks.subject;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.store.MemoryStores;
import dev.jobs.benchmarks.store.PostgresStores;
import dev.jobs.benchmarks.store.RedisStores;
import dev.jobs.benchmarks.store.ServerStores;
import dev.jobs.benchmarks.store.StatementLog;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.benchmarks.store.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * A kind of store to measure: the engine on it, and what it is compared with.
 */
public final class Target implements AutoCloseable {

	/** The kinds of stores, as they are typed. */
	public static final String MEMORY = "memory";

	public static final String REDIS = "redis";

	public static final String POSTGRES = "postgres";

	private final Stores stores;

	private final Subject jobs;

	private final Subject floor;

	private final Map<String, Subject> singles;

	private final Map<String, Subject> peers;

	private Target(Stores stores, Subject floor, Map<String, Subject> singles, Map<String, Subject> peers) {
		this.stores = stores;
		this.jobs = new EngineSubject(stores);
		this.floor = floor;
		this.singles = singles;
		this.peers = peers;
	}

	/**
	 * Make a target.
	 * @param store the kind of store
	 * @param url where the store is, or {@code null} if not given
	 * @param log reports what a PostgreSQL spends its time with, or {@code null} for none
	 * @return the target
	 * @throws UsageException if there is none
	 */
	public static Target of(String store, @Nullable String url, @Nullable StatementLog log) {
		return switch (store) {
			case MEMORY -> {
				if (url != null) {
					throw new UsageException("--url says nothing to the store 'memory'");
				}
				yield new Target(new MemoryStores(), new ExecutorSubject(), Map.of(), Map.of());
			}
			case REDIS -> redis(RedisStores.at(url));
			case POSTGRES -> postgres(PostgresStores.at(url, log));
			default ->
				throw new UsageException("There is no store '" + store + "'; there are memory, redis and postgres");
		};
	}

	private static Target redis(RedisStores stores) {
		StoreDriver driver = new StoreDriver(stores);
		Subject floor = new RedisFloor(stores, driver, new ScriptLoops(stores, false)::enqueue);
		Map<String, Subject> singles = new LinkedHashMap<>();
		singles.put("shared", new RedisFloor(stores, driver, new ScriptLoops(stores, true)::enqueue));
		singles.put("store", new RedisFloor(stores, driver, (load, threads) -> driver.enqueue(load, threads, 1)));
		return new Target(stores, floor, singles, Map.of());
	}

	private static Target postgres(PostgresStores stores) {
		return new Target(stores, new PostgresFloor(stores, new StoreDriver(stores)), Map.of(), Peers.all(stores));
	}

	/**
	 * Return the engine on the store.
	 * @return the subject
	 */
	public Subject jobs() {
		return this.jobs;
	}

	/**
	 * Return the least that could do the same work there.
	 * @return the subject
	 */
	public Subject floor() {
		return this.floor;
	}

	/**
	 * Return what else enqueues one job with each call.
	 * @return the subjects by name
	 */
	public Map<String, Subject> singles() {
		return this.singles;
	}

	/**
	 * Return other libraries, which drain and enqueue.
	 * @return the subjects by name
	 */
	public Map<String, Subject> peers() {
		return this.peers;
	}

	/**
	 * Start an engine on an empty store, for schedules that are put at run time.
	 * @param load the number of schedules, the queues and the concurrency
	 * @return the engine
	 */
	public Schedules schedules(Load load) {
		return new Schedules(this.stores, load);
	}

	/**
	 * Make an engine on an empty store, for a bulk action.
	 * @param load how many jobs it retries, and how many run at once
	 * @return the engine
	 */
	public BulkActs bulkActs(Load load) {
		return new BulkActs(this.stores, load);
	}

	/**
	 * Return engines whose jobs are in lanes.
	 * @return the engines
	 */
	public LaneTurns lanes() {
		return new LaneTurns(this.stores);
	}

	/**
	 * Return engines whose jobs have a rate.
	 * @return the engines
	 */
	public RatedStarts rated() {
		return new RatedStarts(this.stores);
	}

	/**
	 * Return engines whose jobs have steps.
	 * @return the engines
	 */
	public EngineSubject steps() {
		return new EngineSubject(this.stores);
	}

	/**
	 * Return where stores come from.
	 */
	public Stores stores() {
		return this.stores;
	}

	/**
	 * Return the stores on the server, which processes share.
	 * @return the stores
	 * @throws UnsupportedOperationException if there is no server
	 */
	public ServerStores server() {
		if (this.stores instanceof ServerStores server) {
			return server;
		}
		throw new UnsupportedOperationException("No other process sees this one's memory");
	}

	@Override
	public void close() {
		this.stores.close();
	}

}
