package dev.jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.assertj.core.data.Percentage;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page on sizing states of the bytes that a waiting job takes.
 */
enum SizingPage {

	REDIS, POSTGRES;

	private static final Path PAGE = Path.of("../docs/sizing.md");

	private static final Pattern ROW = Pattern.compile("\\| ((?:ready|scheduled)[^|]*) \\| (\\d+) \\| (\\d+) \\|");

	private static final Percentage TOLERANCE = Percentage.withPercentage(25);

	/**
	 * Expect that what was measured is what the page states.
	 * @param footprint the bytes by kind of job
	 */
	void expect(Map<String, Double> footprint) {
		Map<String, Double> stated = stated();
		assertThat(footprint.keySet()).isEqualTo(stated.keySet());
		stated.forEach((kind, bytes) -> assertThat(footprint.get(kind)).as("%s on %s", kind, this)
			.isCloseTo(bytes, TOLERANCE));
	}

	private Map<String, Double> stated() {
		try {
			return ROW.matcher(Files.readString(PAGE))
				.results()
				.collect(Collectors.toMap((row) -> row.group(1), this::bytes));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private double bytes(MatchResult row) {
		return Double.parseDouble(row.group(2 + ordinal()));
	}

}
