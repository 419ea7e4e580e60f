package dev.jobs.engine;

import java.util.List;
import java.util.Optional;

import dev.jobs.PoolStatus;
import dev.jobs.UnknownNameException;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.operations.PoolOperations;
import dev.jobs.store.Change;
import org.jspecify.annotations.Nullable;

/**
 * A pool of all workers.
 *
 * @param name its name
 * @param by who changes it, or {@code null} if that is not known
 * @param stored reads and changes its settings
 */
record StoredPool(String name, @Nullable String by, StoredJobs stored) implements PoolOperations {

	@Override
	public Optional<PoolStatus> status() {
		return this.stored.pools().stream().filter((pool) -> pool.name().equals(this.name)).findFirst();
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
			List<PoolStatus> known = this.stored.pools();
			if (known.stream().noneMatch((pool) -> pool.name().equals(this.name))) {
				throw new UnknownNameException(
						"There is no pool '" + this.name + "': no live worker has it, and not this application"
								+ StoredJobs.near(this.name, known, PoolStatus::name));
			}
		}
		this.stored.change(change);
	}

}
