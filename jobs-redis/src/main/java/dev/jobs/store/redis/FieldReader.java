package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

import dev.jobs.store.StoredVersion;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a {@link FieldWriter} wrote.
 */
final class FieldReader {

	private final byte[] bytes;

	private int position;

	FieldReader(byte[] bytes) {
		this.bytes = bytes;
	}

	/**
	 * Read what begins with the version of its form.
	 * @throws IllegalArgumentException if it has none, or another one
	 */
	FieldReader(byte[] bytes, StoredVersion version) {
		this(bytes);
		if (bytes.length == 0 || bytes[0] < 'a' || bytes[0] > 'z') {
			throw new IllegalArgumentException("There is no version where one must be");
		}
		version.require(bytes[0] - 'a' + 1);
		this.position = 1;
	}

	boolean hasMore() {
		return this.position < this.bytes.length;
	}

	String text() {
		int length = length();
		String text = new String(this.bytes, this.position, length, StandardCharsets.UTF_8);
		this.position += length;
		return text;
	}

	void skip() {
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
			throw new IllegalArgumentException("A field is cut off");
		}
		return (int) length;
	}

	private long digits(int end) {
		if (this.position == end) {
			throw new IllegalArgumentException("There is no number where one must be");
		}
		long number = 0;
		while (this.position < end) {
			int digit = this.bytes[this.position++] - '0';
			if (digit < 0 || digit > 9) {
				throw new IllegalArgumentException("There is no number where one must be");
			}
			number = Math.addExact(Math.multiplyExact(number, 10L), digit);
		}
		return number;
	}

	long number() {
		int end = length() + this.position;
		if (this.position < end && this.bytes[this.position] == '-') {
			this.position++;
			return -digits(end);
		}
		return digits(end);
	}

	int integer() {
		return Math.toIntExact(number());
	}

	Instant instant() {
		return Instant.ofEpochMilli(number());
	}

	@Nullable String optional() {
		return (number() == 1) ? text() : null;
	}

	byte @Nullable [] optionalBytes() {
		if (number() != 1) {
			return null;
		}
		int length = length();
		this.position += length;
		return Arrays.copyOfRange(this.bytes, this.position - length, this.position);
	}

	byte[] rest() {
		return Arrays.copyOfRange(this.bytes, this.position, this.bytes.length);
	}

}
