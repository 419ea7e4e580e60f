package dev.jobs.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A kind of store to measure: the engine on it, and what it is compared with.
 */
final class Target implements AutoCloseable {

	private final Stores stores;

	private final Subject jobs;

	private final Subject floor;

	private final Map<Suite, Map<String, Subject>> others;

	private Target(Stores stores, Subject floor, Map<Suite, Map<String, Subject>> others) {
		this.stores = stores;
		this.jobs = new EngineSubject(stores);
		this.floor = floor;
		this.others = others;
	}

	/**
	 * Make the target that the options name.
	 * @param options the options
	 * @return the target
	 * @throws UsageException if there is none
	 */
	static Target of(Options options) {
		return switch (options.store()) {
			case Options.MEMORY -> {
				if (options.url() != null) {
					throw new UsageException("--url says nothing to the store 'memory'");
				}
				yield new Target(new MemoryStores(), new ExecutorSubject(), Map.of());
			}
			case Options.REDIS -> redis(RedisStores.at(options.url()));
			case Options.POSTGRES -> postgres(PostgresStores.at(options.url(), options.log()));
			default -> throw new UsageException(
					"There is no store '" + options.store() + "'; there are memory, redis and postgres");
		};
	}

	private static Target redis(RedisStores stores) {
		StoreDriver driver = new StoreDriver(stores);
		Subject floor = new RedisFloor(stores, driver, new ScriptLoops(stores, false)::enqueue);
		Map<String, Subject> others = new LinkedHashMap<>();
		others.put("shared", new RedisFloor(stores, driver, new ScriptLoops(stores, true)::enqueue));
		others.put("store", new RedisFloor(stores, driver, (load, threads) -> driver.enqueue(load, threads, 1)));
		return new Target(stores, floor, Map.of(Suite.ENQUEUE, others));
	}

	private static Target postgres(PostgresStores stores) {
		Map<String, Subject> peers = Peers.all(stores);
		return new Target(stores, new PostgresFloor(stores, new StoreDriver(stores)),
				Map.of(Suite.DRAIN, peers, Suite.ENQUEUE, peers, Suite.BULK, peers));
	}

	/**
	 * Return what to measure.
	 * @param suite the suite
	 * @return the subjects by name, the engine first
	 */
	Map<String, Subject> subjects(Suite suite) {
		Map<String, Subject> subjects = new LinkedHashMap<>();
		subjects.put("jobs", this.jobs);
		if (suite.hasFloor()) {
			subjects.put("floor", this.floor);
		}
		subjects.putAll(this.others.getOrDefault(suite, Map.of()));
		return subjects;
	}

	@Override
	public void close() {
		this.stores.close();
	}

}
