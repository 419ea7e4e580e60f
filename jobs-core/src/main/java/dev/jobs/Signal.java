package dev.jobs;

import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * A kind of event from outside that jobs wait for. Each signal is sent about a subject,
 * such as an order, and the first one about it counts. <pre class="code">{@code
 * Signal<Shipped> SHIPPED = Signal.of("shipped", Shipped.class);
 *
 * Shipped shipped = context.await(SHIPPED, order.id(), Duration.ofDays(14));
 *
 * jobs.send(SHIPPED, order.id(), new Shipped("JD7"));
 * }</pre>
 *
 * @param <T> the type of its values
 */
public final class Signal<T> extends Parts {

	/** How long the text of a subject may be. */
	public static final int LONGEST_SUBJECT = 100;

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,59}");

	private final String name;

	private final Class<T> type;

	private Signal(String name, Class<T> type) {
		super("Signal[%s of %s]");
		Assert.isTrue(NAME.matcher(name).matches(),
				() -> "The name of a signal must have 1 to 60 letters, digits, dots, dashes or underscores but was '"
						+ name + "'");
		this.name = name;
		this.type = type;
	}

	/**
	 * Return a signal.
	 * @param <T> the type of its values
	 * @param name its name, the same for those who send it and those who wait
	 * @param type the type of its values, read and written like payloads
	 */
	public static <T> Signal<T> of(String name, Class<T> type) {
		return new Signal<>(name, type);
	}

	/**
	 * Return its name.
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the type of its values.
	 */
	public Class<T> type() {
		return this.type;
	}

	/**
	 * Return the text by which a signal about a subject is known.
	 * @param subject what it is about, by its text
	 * @throws IllegalArgumentException if the text is empty, too long or has control
	 * characters
	 */
	public String about(Object subject) {
		String text = String.valueOf(subject);
		Assert.isTrue(
				!text.isBlank() && text.length() <= LONGEST_SUBJECT && text.chars().noneMatch(Character::isISOControl),
				() -> "The subject of a signal must have 1 to " + LONGEST_SUBJECT
						+ " characters and no control character");
		return this.name + "/" + text;
	}

	@Override
	List<@Nullable Object> parts() {
		return List.of(this.name, this.type.getName());
	}

	/**
	 * What became of a signal that was sent.
	 */
	public enum Sent {

		/** It is the first about its subject, and is kept. */
		SENT,

		/** An earlier one is kept, and this one was dropped. */
		ALREADY,

		/** It will be sent when the transaction of the caller has been committed. */
		DEFERRED

	}

}
