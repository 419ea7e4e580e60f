package dev.jobs.lab;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Report}.
 */
class ReportTests {

	private static String report(List<String> violations) {
		Verdict verdict = new Verdict(Topology.SENTINEL, "Redis 6.2.13", Instant.parse("2026-11-24T10:00:00.4Z"),
				Duration.ofSeconds(754), Map.of(Fault.KILL_MASTER, 2),
				Map.of("most limited jobs at once where 3 may", 3L), Map.of(), List.of(), violations);
		return Report.of("at commit a8dd69c", Options.parse(List.of("--seed", "7"), 0), List.of(verdict));
	}

	@Test
	void reportSaysWhatWasTestedWhenAndForHowLong() {
		assertThat(report(List.of())).contains("Jobs at commit a8dd69c, seed 7, lease 3000 ms",
				"## sentinel: 2 faults, every promise held", "Redis 6.2.13, from 2026-11-24T10:00:00Z for 12 min 34 s",
				"| most limited jobs at once where 3 may | 3 |");
	}

	@Test
	void reportNamesWhatIsBroken() {
		assertThat(report(List.of("lost: job a"))).contains("PROMISES BROKEN", "- BROKEN: lost: job a");
	}

	@Test
	void buildIsNamedByItsCommitOrItsVersion() {
		assertThat(Build.name()).matches("at commit \\S+|\\d\\S*|of an unknown version");
	}

}
