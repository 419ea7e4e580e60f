package dev.jobs.engine;

import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import dev.jobs.PoolStatus;
import dev.jobs.WorkerStatus;
import dev.jobs.engine.settings.OperatorSettings;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.engine.settings.Pool;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;

/**
 * A pool of live workers, or one for which operators have set something.
 *
 * @param name its name
 * @param workers how many live workers have it
 * @param concurrency how many jobs these run at once
 * @param busy how many they ran at their last reports
 * @param settings what operators have set
 */
record ListedPool(String name, int workers, int concurrency, int busy, SetByOperators settings) implements PoolStatus {

	static List<ListedPool> of(Collection<? extends WorkerStatus> workers, OperatorSettings settings, List<Pool> own) {
		SortedMap<String, ListedPool> pools = new TreeMap<>();
		settings.namesOf(Kind.CONCURRENCY, Kind.PAUSED)
			.forEach((name) -> pools.put(name, new ListedPool(name, 0, 0, 0, SetByOperators.of(name, settings, own))));
		workers.stream()
			.map(WorkerStatus::info)
			.filter((info) -> info != null)
			.flatMap((info) -> info.pools().stream())
			.forEach((pool) -> pools.merge(pool.name(), new ListedPool(pool.name(), 1, pool.concurrency(), pool.busy(),
					SetByOperators.of(pool.name(), settings, own)), ListedPool::and));
		return List.copyOf(pools.values());
	}

	private ListedPool and(ListedPool other) {
		return new ListedPool(this.name, this.workers + other.workers, this.concurrency + other.concurrency,
				this.busy + other.busy, this.settings);
	}

	/**
	 * The settings of a pool by operators.
	 *
	 * @param paused that it is paused, or {@code null} if it is not
	 * @param concurrency how many jobs it runs at once on each worker, or {@code null} if
	 * that was not set
	 */
	record SetByOperators(@Nullable Value<Boolean> paused,
			@Nullable Value<Integer> concurrency) implements PoolStatus.Settings {

		private static SetByOperators of(String name, OperatorSettings settings, List<Pool> own) {
			Integer configured = own.stream()
				.filter((pool) -> pool.name().equals(name))
				.findFirst()
				.map(Pool::own)
				.orElse(null);
			return new SetByOperators(settings.on(Kind.PAUSED, name),
					Value.over(settings.number(Kind.CONCURRENCY, name), configured));
		}

	}

}
