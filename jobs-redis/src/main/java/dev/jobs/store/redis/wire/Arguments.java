package dev.jobs.store.redis.wire;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.store.redis.format.FieldWriter;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a script. The first is always the current time.
 */
public final class Arguments {

	private final List<byte[]> values = new ArrayList<>();

	private Arguments() {
	}

	public static Arguments at(Instant now) {
		return new Arguments().add(now);
	}

	public Arguments add(byte[] value) {
		this.values.add(value);
		return this;
	}

	public Arguments add(String text) {
		return add(text.getBytes(StandardCharsets.UTF_8));
	}

	public Arguments add(long number) {
		return add(Long.toString(number));
	}

	public Arguments add(@Nullable Instant instant) {
		return add((instant != null) ? FieldWriter.millis(instant) : "");
	}

	public byte[][] toArray() {
		return this.values.toArray(byte[][]::new);
	}

}
