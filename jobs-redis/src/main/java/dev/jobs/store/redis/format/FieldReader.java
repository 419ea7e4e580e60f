package dev.jobs.store.redis.format;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

import dev.jobs.store.support.StoredVersion;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a {@link FieldWriter}.
 */
public final class FieldReader {

	private final byte[] bytes;

	private int position;

	public FieldReader(byte[] bytes) {
		this.bytes = bytes;
	}

	/**
	 * Begin to read fields that start with the version of their format.
	 * @throws IllegalArgumentException if it has no version, or another one
	 */
	public FieldReader(byte[] bytes, StoredVersion version) {
		this(bytes);
		if (bytes.length == 0 || bytes[0] < 'a' || bytes[0] > 'z') {
			throw new IllegalArgumentException("The version is missing");
		}
		version.require(bytes[0] - 'a' + 1);
		this.position = 1;
	}

	public boolean hasMore() {
		return this.position < this.bytes.length;
	}

	public String text() {
		int length = length();
		String text = new String(this.bytes, this.position, length, StandardCharsets.UTF_8);
		this.position += length;
		return text;
	}

	public void skip() {
		int length = length();
		this.position += length;
	}

	private int length() {
		int colon = this.position;
		while (colon < this.bytes.length && this.bytes[colon] != ':') {
			colon++;
		}
		long length = digits(colon);
		this.position = colon + 1;
		if (length > this.bytes.length - this.position) {
			throw new IllegalArgumentException("A field is truncated");
		}
		return (int) length;
	}

	private long digits(int end) {
		if (this.position == end) {
			throw new IllegalArgumentException("A number is missing");
		}
		long number = 0;
		while (this.position < end) {
			int digit = this.bytes[this.position++] - '0';
			if (digit < 0 || digit > 9) {
				throw new IllegalArgumentException("A number is missing");
			}
			number = Math.addExact(Math.multiplyExact(number, 10L), digit);
		}
		return number;
	}

	public long number() {
		int end = length() + this.position;
		if (this.position < end && this.bytes[this.position] == '-') {
			this.position++;
			return -digits(end);
		}
		return digits(end);
	}

	public int integer() {
		return Math.toIntExact(number());
	}

	public Instant instant() {
		return Instant.ofEpochMilli(number());
	}

	/**
	 * Read a score, which may be anything if another program wrote it.
	 */
	public static Instant instant(String millis) {
		double number = Double.parseDouble(millis.replace("inf", "Infinity"));
		double bound = FieldWriter.GREATEST_MILLIS;
		return Instant.ofEpochMilli((long) Math.max(Math.min(number, bound), -bound));
	}

	public @Nullable String optional() {
		return (number() == 1) ? text() : null;
	}

	public byte @Nullable [] optionalBytes() {
		if (number() != 1) {
			return null;
		}
		int length = length();
		this.position += length;
		return Arrays.copyOfRange(this.bytes, this.position - length, this.position);
	}

	public byte[] rest() {
		return Arrays.copyOfRange(this.bytes, this.position, this.bytes.length);
	}

}
