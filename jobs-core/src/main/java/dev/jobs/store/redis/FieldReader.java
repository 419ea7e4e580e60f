package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

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

	boolean hasMore() {
		return this.position < this.bytes.length;
	}

	String text() {
		int length = 0;
		byte next = this.bytes[this.position++];
		while (next != ':') {
			if (next < '0' || next > '9') {
				throw new IllegalArgumentException("A field begins with its length");
			}
			length = Math.addExact(Math.multiplyExact(length, 10), next - '0');
			next = this.bytes[this.position++];
		}
		if (length > this.bytes.length - this.position) {
			throw new IllegalArgumentException("A field is cut off");
		}
		String text = new String(this.bytes, this.position, length, StandardCharsets.UTF_8);
		this.position += length;
		return text;
	}

	long number() {
		return Long.parseLong(text());
	}

	int integer() {
		return Math.toIntExact(number());
	}

	Instant instant() {
		return Millis.instant(text());
	}

	@Nullable String optional() {
		return (number() == 1) ? text() : null;
	}

	byte[] rest() {
		return Arrays.copyOfRange(this.bytes, this.position, this.bytes.length);
	}

}
