package dev.jobs.engine.lease;

import java.util.List;

import dev.jobs.engine.context.Tallies;
import dev.jobs.store.Tally;
import dev.jobs.store.WorkerBeat.Report;

/**
 * Numbers the reports that beats carry to the store, so that one which is sent twice
 * counts once. Used by one thread at a time.
 */
final class StatisticsReporter {

	private final Tallies tallies;

	private Report report = Report.NONE;

	private long last;

	StatisticsReporter(Tallies tallies) {
		this.tallies = tallies;
	}

	/**
	 * Return the report that a failed beat has tried to send, or else what was counted
	 * since.
	 * @param most how many tallies at most
	 * @return the report
	 */
	Report next(int most) {
		if (this.report.tallies().isEmpty()) {
			List<Tally> taken = this.tallies.take(most);
			this.report = taken.isEmpty() ? Report.NONE : new Report(++this.last, taken);
		}
		return this.report;
	}

	/**
	 * Forget the report, since the store has it.
	 */
	void stored() {
		this.report = Report.NONE;
	}

}
