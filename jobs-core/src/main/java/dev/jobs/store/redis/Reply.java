package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a script replied, read element by element.
 */
final class Reply {

	private final List<?> elements;

	private int position;

	Reply(List<?> elements) {
		this.elements = elements;
	}

	boolean hasMore() {
		return this.position < this.elements.size();
	}

	byte[] bytes() {
		Object element = next();
		return (element instanceof byte[] bytes) ? bytes : String.valueOf(element).getBytes(StandardCharsets.UTF_8);
	}

	String text() {
		Object element = next();
		return (element instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(element);
	}

	long number() {
		return Long.parseLong(text());
	}

	boolean flag() {
		return number() == 1;
	}

	Reply list() {
		return (next() instanceof List<?> list) ? new Reply(list) : new Reply(List.of());
	}

	private Object next() {
		return this.elements.get(this.position++);
	}

}
