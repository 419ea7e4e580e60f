package dev.jobs;

import java.util.function.Consumer;

/**
 * The values of options, which a lambda sets in a copy.
 */
abstract class Values implements Cloneable {

	/**
	 * Return a copy with the changes of a lambda. A builder that the lambda keeps does
	 * not change it later.
	 */
	@SuppressWarnings("unchecked")
	static <V extends Values> V changed(V values, Consumer<? super V> changes) {
		V builder = (V) values.copy();
		changes.accept(builder);
		return (V) builder.copy();
	}

	Values copy() {
		try {
			return (Values) clone();
		}
		catch (CloneNotSupportedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
