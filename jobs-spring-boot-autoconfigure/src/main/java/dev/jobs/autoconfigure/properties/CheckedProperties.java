package dev.jobs.autoconfigure.properties;

import java.util.function.BiConsumer;

import org.springframework.core.env.Environment;

/**
 * Properties of another module that check their own values. The module lists them in a
 * file in {@code META-INF/spring/} with the name of this type and the ending {@code
 * .imports}.
 */
public interface CheckedProperties {

	/**
	 * Check the values.
	 * @param environment where they come from
	 * @param rejection takes each value that is not accepted: the name of its property,
	 * below the prefix of these, and the reason
	 */
	void check(Environment environment, BiConsumer<String, String> rejection);

}
