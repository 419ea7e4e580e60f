package dev.jobs.store.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

import dev.jobs.store.StoredVersion;
import org.jspecify.annotations.Nullable;

/**
 * Writes a row of netstrings, each the length of a field, a colon and its bytes.
 */
final class FieldWriter {

	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);

	FieldWriter() {
	}

	/**
	 * Write what begins with the version of its form, a letter.
	 */
	FieldWriter(StoredVersion version) {
		this.bytes.write('a' + version.number() - 1);
	}

	FieldWriter add(String text) {
		return add(text.getBytes(StandardCharsets.UTF_8));
	}

	FieldWriter add(byte[] field) {
		this.bytes.writeBytes(Integer.toString(field.length).getBytes(StandardCharsets.US_ASCII));
		this.bytes.write(':');
		this.bytes.writeBytes(field);
		return this;
	}

	FieldWriter add(long number) {
		return add(Long.toString(number));
	}

	FieldWriter add(Instant instant) {
		return add(Millis.of(instant));
	}

	/**
	 * Add a text that may be missing, which is not the same as an empty one.
	 */
	FieldWriter addOptional(@Nullable String text) {
		return addOptional((text != null) ? text.getBytes(StandardCharsets.UTF_8) : null);
	}

	FieldWriter addOptional(byte @Nullable [] field) {
		return (field != null) ? add(1).add(field) : add(0);
	}

	/**
	 * Add bytes that go to the end, so that their length need not be told.
	 */
	FieldWriter addRest(byte[] rest) {
		this.bytes.writeBytes(rest);
		return this;
	}

	byte[] toBytes() {
		return this.bytes.toByteArray();
	}

}
