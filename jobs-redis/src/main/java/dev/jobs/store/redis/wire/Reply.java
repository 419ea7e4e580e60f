package dev.jobs.store.redis.wire;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import dev.jobs.store.redis.format.FieldReader;
import org.jspecify.annotations.Nullable;

/**
 * The reply of a script, read element by element.
 */
public final class Reply {

	private final List<? extends @Nullable Object> elements;

	private int position;

	public Reply(List<? extends @Nullable Object> elements) {
		this.elements = elements;
	}

	public boolean hasMore() {
		return this.position < this.elements.size();
	}

	/**
	 * Return the next element, empty if it is null.
	 */
	public byte[] bytes() {
		Object element = next();
		if (element == null) {
			return new byte[0];
		}
		return (element instanceof byte[] bytes) ? bytes : String.valueOf(element).getBytes(StandardCharsets.UTF_8);
	}

	public String text() {
		Object element = next();
		return (element instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(element);
	}

	public long number() {
		return Long.parseLong(text());
	}

	/**
	 * Read a time in milliseconds, as it is stored.
	 */
	public Instant instant() {
		return FieldReader.instant(text());
	}

	/**
	 * Read a time in milliseconds that may be missing.
	 */
	public @Nullable Instant optionalInstant() {
		String text = text();
		return text.isEmpty() ? null : FieldReader.instant(text);
	}

	/**
	 * Read the time of a server, in seconds and microseconds.
	 */
	public Instant time() {
		return Instant.ofEpochSecond(number(), number() * 1000);
	}

	public boolean flag() {
		return number() == 1;
	}

	public Reply list() {
		return (next() instanceof List<?> list) ? new Reply(list) : new Reply(List.of());
	}

	private @Nullable Object next() {
		return this.elements.get(this.position++);
	}

}
