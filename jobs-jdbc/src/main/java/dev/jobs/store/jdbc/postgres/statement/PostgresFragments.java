package dev.jobs.store.jdbc.postgres.statement;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.jobs.JobState;
import dev.jobs.store.jdbc.read.Candidate;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.row.StoredJob;

import org.springframework.core.io.ClassPathResource;

/**
 * The files that statements consist of.
 */
public final class PostgresFragments {

	private static final String FOLDER = "dev/jobs/store/jdbc/postgres/";

	private static final Pattern NAME = Pattern.compile("\\{\\{([\\w-]+)}}");

	/** The fragments that come from the code. */
	private static final Map<String, String> SHARED = Map.of("job-columns", StoredJob.COLUMNS, "candidate-columns",
			Candidate.COLUMNS, "held-key-of-running-jobs", KeyColumns.heldIn(JobState.RUNNING));

	private PostgresFragments() {
	}

	/**
	 * Return the text of a file with its fragments and without comments.
	 */
	static String in(String file) {
		return NAME.matcher(read(file)).replaceAll((found) -> Matcher.quoteReplacement(fragment(found.group(1))));
	}

	/**
	 * Return a fragment.
	 */
	public static String fragment(String name) {
		String shared = SHARED.get(name);
		return (shared != null) ? shared : in(isFile("fragment/" + name) ? "fragment/" + name : name);
	}

	private static boolean isFile(String name) {
		return resource(name).exists();
	}

	private static String read(String name) {
		try {
			return resource(name).getContentAsString(StandardCharsets.UTF_8)
				.lines()
				.filter((line) -> !line.startsWith("--"))
				.collect(Collectors.joining("\n"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static ClassPathResource resource(String name) {
		return new ClassPathResource(FOLDER + name + ".sql", PostgresFragments.class.getClassLoader());
	}

}
