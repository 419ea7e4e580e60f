package dev.jobs.store.jdbc.saved;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import org.jspecify.annotations.Nullable;

/**
 * One save. The rows of the jobs are locked, so a takeover either comes before it, and
 * nothing is saved, or after its commit, and its run finds the values.
 *
 * @param work its statements
 * @param saves the values
 * @param now the time
 */
public record SaveOperation(UnitOfWork work, List<Save> saves, Instant now) {

	public List<Settled> run() {
		Map<List<Object>, Save> latest = new LinkedHashMap<>();
		this.saves.forEach((save) -> latest.put(List.of(save.job(), save.token(), save.name()), save));
		Map<String, Long> tokens = this.work.dialect()
			.save(this.work.statements(), List.copyOf(latest.values()), EpochMillis.of(this.now));
		return this.saves.stream().map((save) -> answer(save, tokens.get(save.job()))).toList();
	}

	private static Settled answer(Save save, @Nullable Long token) {
		if (token == null) {
			return Settled.GONE;
		}
		return (token == save.token()) ? Settled.APPLIED : Settled.LOST;
	}

}
