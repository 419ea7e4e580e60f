package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The arguments of a script; the present is the first.
 */
final class Arguments {

	private final List<byte[]> values = new ArrayList<>();

	private Arguments() {
	}

	static Arguments at(Instant now) {
		return new Arguments().add(now);
	}

	Arguments add(byte[] value) {
		this.values.add(value);
		return this;
	}

	Arguments add(String text) {
		return add(text.getBytes(StandardCharsets.UTF_8));
	}

	Arguments add(long number) {
		return add(Long.toString(number));
	}

	Arguments add(@Nullable Instant instant) {
		return add((instant != null) ? Millis.of(instant) : "");
	}

	byte[][] toArray() {
		return this.values.toArray(byte[][]::new);
	}

}
