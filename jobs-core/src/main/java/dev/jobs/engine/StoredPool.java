package dev.jobs.engine;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import dev.jobs.PoolStatus;
import dev.jobs.UnknownNameException;
import dev.jobs.WorkerStatus;
import dev.jobs.engine.settings.OperatorSettings;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.engine.settings.Pool;
import dev.jobs.operations.PoolOperations;
import dev.jobs.store.Change;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;

/**
 * A pool of all workers.
 *
 * @param name its name
 * @param by who changes it, or {@code null} if that is not known
 * @param stored reads and changes its settings
 */
record StoredPool(String name, @Nullable String by, StoredJobs stored) implements PoolOperations {

	/**
	 * Return the pools of live workers, and those for which operators have set something.
	 */
	static List<PoolStatus> all(StoredJobs stored) {
		return List.copyOf(Listed.of(stored.inspector().workers(stored.now()), stored.settings(), stored.own()));
	}

	@Override
	public Optional<PoolStatus> status() {
		return all(this.stored).stream().filter((pool) -> pool.name().equals(this.name)).findFirst();
	}

	@Override
	public void concurrency(int concurrency) {
		change(Kind.CONCURRENCY.set(this.name, concurrency, this.by));
	}

	@Override
	public void removeConcurrency() {
		change(Kind.CONCURRENCY.remove(this.name));
	}

	@Override
	public void pause() {
		change(Kind.PAUSED.set(this.name, 1, this.by));
	}

	@Override
	public void resume() {
		change(Kind.PAUSED.remove(this.name));
	}

	private void change(Change change) {
		if (this.stored.own().stream().noneMatch((pool) -> pool.name().equals(this.name))) {
			List<PoolStatus> known = all(this.stored);
			if (known.stream().noneMatch((pool) -> pool.name().equals(this.name))) {
				throw new UnknownNameException(
						"There is no pool '" + this.name + "': no live worker has it, and not this application"
								+ StoredJobs.near(this.name, known, PoolStatus::name));
			}
		}
		this.stored.change(change);
	}

	/**
	 * A pool of live workers, or one for which operators have set something.
	 *
	 * @param name its name
	 * @param workers how many live workers have it
	 * @param concurrency how many jobs these run at once
	 * @param busy how many they ran at their last reports
	 * @param settings what operators have set
	 */
	record Listed(String name, int workers, int concurrency, int busy, SetByOperators settings) implements PoolStatus {

		static List<Listed> of(Collection<? extends WorkerStatus> workers, OperatorSettings settings, List<Pool> own) {
			SortedMap<String, Listed> pools = new TreeMap<>();
			settings.namesOf(Kind.CONCURRENCY, Kind.PAUSED)
				.forEach((name) -> pools.put(name, new Listed(name, 0, 0, 0, SetByOperators.of(name, settings, own))));
			workers.stream()
				.map(WorkerStatus::info)
				.filter((info) -> info != null)
				.flatMap((info) -> info.pools().stream())
				.forEach((pool) -> pools.merge(pool.name(), new Listed(pool.name(), 1, pool.concurrency(), pool.busy(),
						SetByOperators.of(pool.name(), settings, own)), Listed::and));
			return List.copyOf(pools.values());
		}

		private Listed and(Listed other) {
			return new Listed(this.name, this.workers + other.workers, this.concurrency + other.concurrency,
					this.busy + other.busy, this.settings);
		}

		/**
		 * The settings that operators gave a pool.
		 *
		 * @param paused the pause, or {@code null} if it is not paused
		 * @param concurrency how many jobs it runs at once on each worker, or
		 * {@code null} if that was not set
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

}
