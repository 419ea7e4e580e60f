package dev.jobs.lab;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/**
 * The result of a trial, as a text that a sceptic can check.
 */
final class Report {

	private Report() {
	}

	/**
	 * Write the report.
	 * @param build which build was tested
	 * @param options what was wanted
	 * @param verdicts what came out
	 */
	static String of(String build, Options options, List<Verdict> verdicts) {
		StringWriter text = new StringWriter();
		PrintWriter out = new PrintWriter(text);
		out.printf(Locale.ROOT, "# Faults and what became of them%n%nJobs %s, seed %d, lease %d ms%s.%n", build,
				options.seed(), Trial.LEASE.toMillis(),
				(options.bug() != PlantedBug.NONE) ? ", with the planted bug " + Options.titleOf(options.bug()) : "");
		verdicts.forEach((verdict) -> write(verdict, out));
		return text.toString();
	}

	private static void write(Verdict verdict, PrintWriter out) {
		out.printf(Locale.ROOT, "%n## %s: %d faults, %s%n%n", Options.titleOf(verdict.topology()),
				verdict.faultsInAll(), verdict.isClean() ? "every promise held" : "PROMISES BROKEN");
		out.printf("%s, from %s for %d min %d s.%n", verdict.server(), verdict.begin().truncatedTo(ChronoUnit.SECONDS),
				verdict.duration().toMinutes(), verdict.duration().toSecondsPart());
		if (!verdict.isClean()) {
			out.println();
		}
		verdict.violations().forEach((violation) -> out.printf("- BROKEN: %s%n", violation));
		out.printf("%n| counted | |%n|---|--:|%n");
		verdict.figures().forEach((what, count) -> out.printf(Locale.ROOT, "| %s | %,d |%n", what, count));
		verdict.repeats()
			.forEach((cause, count) -> out.printf(Locale.ROOT, "| runs repeated since %s | %,d |%n", cause, count));
		out.printf("%n| fault | times | until all went on: median | longest |%n|---|--:|--:|--:|%n");
		verdict.recoveries()
			.forEach((recovery) -> out.printf(Locale.ROOT, "| %s | %d | %d ms | %d ms |%n",
					Options.titleOf(recovery.fault()), recovery.count(), recovery.medianMillis(),
					recovery.longestMillis()));
	}

}
