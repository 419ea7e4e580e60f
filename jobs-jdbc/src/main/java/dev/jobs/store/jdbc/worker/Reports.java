package dev.jobs.store.jdbc.worker;

import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import dev.jobs.store.BeatReply;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.jdbc.sql.Faults;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Writes the statistics of workers, each report in its own transaction beside the beat,
 * so that no trouble with mere statistics, such as a lock on their table, costs a worker
 * its lease. A report that cannot be written within a second comes again with the next
 * beat; the caller divides a report that the database refuses.
 */
public final class Reports {

	private static final Logger logger = LoggerFactory.getLogger(Reports.class);

	private static final int TIMEOUT_SECONDS = 1;

	private final Supplier<Session> session;

	private volatile boolean failing;

	/**
	 * Create reports.
	 * @param session returns the session to write them in
	 */
	public Reports(Supplier<Session> session) {
		this.session = session;
	}

	/**
	 * Write a beat, then its report. The report of a leaving worker comes first, since
	 * the worker is unknown afterwards.
	 * @param beat the beat
	 * @param send writes the beat itself
	 * @return the reply, with whether the report is written
	 */
	public BeatReply with(WorkerBeat beat, Supplier<BeatReply> send) {
		if (beat.report().tallies().isEmpty()) {
			return send.get();
		}
		boolean early = beat.leaving() && write(beat);
		BeatReply reply = send.get();
		return (early || (!beat.leaving() && write(beat))) ? reply : reply.withoutReport();
	}

	private boolean write(WorkerBeat beat) {
		try {
			this.session.get().write((work) -> add(work, beat));
			this.failing = false;
			return true;
		}
		catch (JobStoreException ex) {
			if (ex.getCause() instanceof DataAccessException cause && Faults.isOfRow(cause)) {
				throw new JobStoreException(String.valueOf(ex.getMessage()), ex, false);
			}
			if (!ex.isTemporary()) {
				throw ex;
			}
			if (!this.failing) {
				logger.warn("Statistics of queues could not be written and are sent again; jobs run all the same: {}",
						ErrorText.of(ex));
			}
			this.failing = true;
			return false;
		}
	}

	private static boolean add(UnitOfWork work, WorkerBeat beat) {
		Statements statements = work.statements().within(TIMEOUT_SECONDS);
		boolean fresh = isNew(statements, beat.worker(), beat.report().number());
		if (fresh) {
			new TallyRows(statements, work.dialect()).add(beat.report().tallies());
		}
		return fresh;
	}

	private static boolean isNew(Statements statements, String worker, long number) {
		return statements.update("update {worker} set reported = ? where id = ? and reported < ?", number, worker,
				number) > 0 || statements.number("select count(*) from {worker} where id = ?", worker) == 0;
	}

}
