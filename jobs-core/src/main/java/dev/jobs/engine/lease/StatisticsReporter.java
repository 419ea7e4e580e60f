package dev.jobs.engine.lease;

import java.util.List;
import java.util.stream.Stream;

import dev.jobs.engine.context.Tallies;
import dev.jobs.store.WorkerBeat.Report;
import dev.jobs.store.view.Tally;

/**
 * Numbers the reports that beats carry to the store, so that a report sent twice counts
 * once. Used by one thread at a time.
 */
final class StatisticsReporter {

	private final Tallies tallies;

	private Report report = Report.NONE;

	/** The report to send next, before newer counts. */
	private List<Tally> later = List.of();

	private long last;

	StatisticsReporter(Tallies tallies) {
		this.tallies = tallies;
	}

	/**
	 * Return the report of a failed beat or, without one, the new counts.
	 * @param most how many tallies at most
	 */
	Report next(int most) {
		if (this.report.tallies().isEmpty()) {
			List<Tally> taken = this.later.isEmpty() ? this.tallies.take(most) : this.later;
			this.later = List.of();
			this.report = taken.isEmpty() ? Report.NONE : new Report(++this.last, taken);
		}
		return this.report;
	}

	/**
	 * Cut the report in two, because the store refused it.
	 * @return whether there was more than one tally in it
	 */
	boolean halve() {
		List<Tally> refused = this.report.tallies();
		if (refused.size() < 2) {
			return false;
		}
		int half = refused.size() / 2;
		this.later = Stream.concat(refused.subList(half, refused.size()).stream(), this.later.stream()).toList();
		this.report = new Report(++this.last, refused.subList(0, half));
		return true;
	}

	/**
	 * Forget the report, because the store has it or will never take it.
	 */
	void stored() {
		this.report = Report.NONE;
	}

}
