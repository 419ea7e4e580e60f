package dev.jobs.autoconfigure.handler;

/**
 * An option of a handler, and the place that sets it.
 *
 * @param name its name in properties, such as {@code max-attempts}
 * @param value its value
 * @param place the place that sets it
 * @param origin the property or the annotated method
 */
public record SetOption(String name, Object value, Place place, String origin) {

	/**
	 * The places that can set an option, the strongest first.
	 */
	public enum Place {

		/** Below {@code jobs.handlers.<name>}. */
		PROPERTY,

		/** By the annotations of the handler. */
		ANNOTATION,

		/** Below {@code jobs.defaults}. */
		DEFAULTS

	}

}
