package dev.jobs.engine.lease;

import java.util.List;
import java.util.stream.Stream;

import dev.jobs.engine.context.Tallies;
import dev.jobs.store.WorkerBeat.Report;
import dev.jobs.store.view.Tally;

/**
 * Numbers the reports that beats carry to the store, so that one which is sent twice
 * counts once. Used by one thread at a time.
 */
final class StatisticsReporter {

	private final Tallies tallies;

	private Report report = Report.NONE;

	/** What is reported next, before what was counted since. */
	private List<Tally> later = List.of();

	private long last;

	StatisticsReporter(Tallies tallies) {
		this.tallies = tallies;
	}

	/**
	 * Return the report that a failed beat has tried to send, or else what was counted
	 * since.
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
	 * Cut the report in two, since the store has refused it.
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
	 * Forget the report, since the store has it, or never takes it.
	 */
	void stored() {
		this.report = Report.NONE;
	}

}
