package dev.jobs.benchmarks.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

import dev.jobs.DeadReason;
import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.support.TrailBuilder;

/**
 * What may go wrong with a job in a web application, with a message that names the order.
 */
enum Mishap {

	/** Another service does not answer. */
	TIMEOUT("timeout.txt"),

	/** The database has it already. */
	DUPLICATE("duplicate.txt");

	private final String stack;

	Mishap(String file) {
		this.stack = read(file);
	}

	private static String read(String file) {
		try (InputStream stream = Mishap.class.getResourceAsStream(file)) {
			if (stream == null) {
				throw new IOException(file + " is missing");
			}
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Mishap of(int i) {
		return values()[i % values().length];
	}

	/**
	 * Return the trail of a job that failed for the first time.
	 */
	Trail once(int i, Instant now) {
		return TrailRules.failed(Trail.EMPTY, attempt(1, i, now));
	}

	/**
	 * Return the trail of a job that failed twice and is dead.
	 */
	Trail forGood(int i, Instant now) {
		return TrailBuilder.ended(TrailRules.failed(once(i, now), attempt(2, i, now)),
				Trail.End.of(DeadReason.EXHAUSTED, error(text(i)), now));
	}

	private Attempt attempt(int number, int i, Instant now) {
		return Attempt.of(number, now, error(text(i))).withStackTrace(text(i));
	}

	private String text(int i) {
		return this.stack.replace("{order}", Order.number(i));
	}

	private static String error(String text) {
		return text.lines().findFirst().orElseThrow();
	}

}
