package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a script replied, read element by element.
 */
final class Reply {

	private final List<? extends @Nullable Object> elements;

	private int position;

	Reply(List<? extends @Nullable Object> elements) {
		this.elements = elements;
	}

	int size() {
		return this.elements.size();
	}

	boolean hasMore() {
		return this.position < this.elements.size();
	}

	/**
	 * Return the next element, empty if it is nothing.
	 */
	byte[] bytes() {
		Object element = next();
		if (element == null) {
			return new byte[0];
		}
		return (element instanceof byte[] bytes) ? bytes : String.valueOf(element).getBytes(StandardCharsets.UTF_8);
	}

	String text() {
		Object element = next();
		return (element instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(element);
	}

	long number() {
		return Long.parseLong(text());
	}

	/**
	 * Read the whole reply as the time of a server.
	 */
	Instant time() {
		return Instant.ofEpochSecond(number(), number() * 1000);
	}

	boolean flag() {
		return number() == 1;
	}

	Reply list() {
		return (next() instanceof List<?> list) ? new Reply(list) : new Reply(List.of());
	}

	private @Nullable Object next() {
		return this.elements.get(this.position++);
	}

}
