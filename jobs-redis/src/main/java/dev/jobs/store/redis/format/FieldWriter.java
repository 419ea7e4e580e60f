package dev.jobs.store.redis.format;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

import dev.jobs.store.support.StoredVersion;
import org.jspecify.annotations.Nullable;

/**
 * Writes a row of netstrings, each the length of a field, a colon and its bytes.
 */
public final class FieldWriter {

	/** A score, which is a double, holds all numbers up to this one exactly. */
	static final long GREATEST_MILLIS = 1L << 52;

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);

	public FieldWriter() {
	}

	/**
	 * Begin with the version of the format, a letter.
	 */
	public FieldWriter(StoredVersion version) {
		this.bytes.write('a' + version.number() - 1);
	}

	public FieldWriter add(String text) {
		return add(text.getBytes(StandardCharsets.UTF_8));
	}

	public FieldWriter add(byte[] field) {
		this.bytes.writeBytes(Integer.toString(field.length).getBytes(StandardCharsets.US_ASCII));
		this.bytes.write(':');
		this.bytes.writeBytes(field);
		return this;
	}

	public FieldWriter add(long number) {
		return add(Long.toString(number));
	}

	public FieldWriter add(Instant instant) {
		return add(millis(instant));
	}

	/**
	 * Return an instant as Redis keeps it: in milliseconds, and bounded so that a score
	 * is exact.
	 */
	public static String millis(Instant instant) {
		long seconds = Math.max(Math.min(instant.getEpochSecond(), GREATEST_MILLIS / 1000), -GREATEST_MILLIS / 1000);
		return Long.toString(seconds * 1000 + instant.getNano() / 1_000_000);
	}

	/**
	 * Add a text that may be missing, which is not the same as an empty one.
	 */
	public FieldWriter addOptional(@Nullable String text) {
		return addOptional((text != null) ? text.getBytes(StandardCharsets.UTF_8) : null);
	}

	public FieldWriter addOptional(byte @Nullable [] field) {
		return (field != null) ? add(1).add(field) : add(0);
	}

	/**
	 * Add bytes that come last and therefore need no length.
	 */
	public FieldWriter addRest(byte[] rest) {
		this.bytes.writeBytes(rest);
		return this;
	}

	public byte[] toBytes() {
		return this.bytes.toByteArray();
	}

}
