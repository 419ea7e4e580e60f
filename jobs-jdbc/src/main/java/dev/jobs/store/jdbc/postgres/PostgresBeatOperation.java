package dev.jobs.store.jdbc.postgres;

import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.BeatReply;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.jdbc.postgres.mark.LiveDeliveries;
import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.BeatOperation;
import dev.jobs.store.view.WorkerJson;
import org.jspecify.annotations.Nullable;

/**
 * One beat in PostgreSQL. For a worker that holds no jobs it is one statement.
 */
record PostgresBeatOperation(UnitOfWork work, LiveDeliveries deliveries,
		WorkerBeat beat) implements AutoCommitOperation<BeatReply> {

	@Override
	public @Nullable BeatReply runWithoutTransaction() {
		this.deliveries.raise(this.work.statements());
		if (this.beat.leaving() || !this.beat.notes().isEmpty()) {
			return null;
		}
		LiveDeliveries.Known live = this.deliveries.known();
		List<BeatReply> reply = PostgresStatements.runByIndex(this.work.statements(), PostgresSql.BEAT_IDLE,
				(row, n) -> {
					this.deliveries.saw(row.getLong(2));
					return new BeatReply(Map.of(), Set.of(), EpochMillis.instant(row.getLong(1)))
						.withFirstTick(BeatOperation.optional(row, 3))
						.withSettings(row.getLong(4));
				}, PostgresStatements.texts(BeatOperation.servedBy(this.beat), (queue) -> queue),
				EpochMillis.of(this.beat.now()), EpochMillis.of(this.beat.now().plus(this.beat.lease())),
				this.beat.lease().toMillis(), WorkerJson.of(this.beat.info()), this.beat.worker(), live.mark(),
				PostgresStatements.numbers(live.kept(), (token) -> token));
		return reply.isEmpty() ? null : reply.get(0);
	}

	@Override
	public BeatReply run() {
		return new BeatOperation(this.work, this.deliveries.rows(), this.beat).run();
	}

}
