package dev.jobs.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Identifies dead jobs of one cause.
 *
 * @param error the beginning of their last error, with variable parts masked
 * @param frame the method of the application that it came from, or {@code null} if that
 * is not known
 */
public record Fingerprint(String error, @Nullable String frame) {

	private static final int LONGEST_READ = 1000;

	private static final int LONGEST = 300;

	private static final int ID_BYTES = 8;

	/** Packages that do not belong to the application. */
	private static final List<String> OTHERS = List.of("java.", "javax.", "jakarta.", "jdk.", "sun.", "com.sun.",
			"kotlin.", "kotlinx.", "scala.", "groovy.", "org.springframework.", "org.hibernate.", "org.postgresql.",
			"org.mariadb.", "org.h2.", "com.mysql.", "com.zaxxer.", "io.netty.", "io.lettuce.", "io.micrometer.",
			"reactor.", "org.apache.", "org.slf4j.", "com.fasterxml.", "tools.jackson.", "org.aspectj.",
			"net.bytebuddy.", "okhttp3.", "dev.jobs.engine.", "dev.jobs.autoconfigure.", "dev.jobs.store.",
			"dev.jobs.serialization.", "dev.jobs.metrics.", "dev.jobs.text.");

	/** A type of the API, such as the client that refuses an enqueue. */
	private static final Pattern API = Pattern.compile("dev\\.jobs\\.[A-Z].*");

	/**
	 * Return the fingerprint of an error.
	 */
	public static Fingerprint of(String error, @Nullable String stack) {
		return new Fingerprint(masked(firstLine(error)), (stack != null) ? frame(stack) : null);
	}

	/**
	 * Return the first line of an error.
	 */
	public static String firstLine(String error) {
		String line = error.lines().findFirst().orElse("").strip();
		return (line.length() > LONGEST_READ) ? line.substring(0, LONGEST_READ) + "…" : line;
	}

	private static String masked(String message) {
		return cut(ErrorMask.of(message));
	}

	/**
	 * Return the part of an error that is shown.
	 */
	public static String cut(String error) {
		return (error.length() > LONGEST) ? error.substring(0, LONGEST) + "…" : error;
	}

	/**
	 * Return a word of an error that differs from job to job with its variable parts
	 * masked.
	 */
	public static String maskedWord(String word) {
		String masked = ErrorMask.of(word);
		return masked.equals(word) ? "…" : masked;
	}

	private static @Nullable String frame(String stack) {
		return stack.lines()
			.map(String::strip)
			.filter((line) -> line.startsWith("at ") && line.indexOf('(') > 0)
			.map((line) -> line.substring(3, line.indexOf('(')))
			.map((line) -> line.substring(line.lastIndexOf('/') + 1))
			.filter((method) -> !method.contains("$$") && OTHERS.stream().noneMatch(method::startsWith)
					&& !API.matcher(method).matches())
			.findFirst()
			.map((method) -> method.replaceAll("[$]\\d+$", ""))
			.orElse(null);
	}

	/**
	 * Return a short name that is always the same.
	 */
	public String id() {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256")
				.digest((this.error + '\n' + this.frame).getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest, 0, ID_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java has SHA-256", ex);
		}
	}

}
