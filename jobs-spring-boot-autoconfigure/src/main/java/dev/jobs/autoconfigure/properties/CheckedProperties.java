package dev.jobs.autoconfigure.properties;

import java.util.function.BiConsumer;

import org.springframework.core.env.Environment;

/**
 * Properties of another module that know which of their values are accepted. The module
 * names them in a file {@code META-INF/spring/}, called as this type with the ending
 * {@code .imports}.
 */
public interface CheckedProperties {

	/**
	 * Check the values.
	 * @param environment where they come from
	 * @param rejection takes for each value that is not accepted the name of its
	 * property, below the prefix of these, and why
	 */
	void check(Environment environment, BiConsumer<String, String> rejection);

}
