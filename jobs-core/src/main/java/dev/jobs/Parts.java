package dev.jobs;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A value that is the same as another one of its kind with the same parts.
 */
abstract class Parts {

	private final String format;

	/**
	 * Create a value.
	 * @param format how it is shown, with a place for each part
	 */
	Parts(String format) {
		this.format = format;
	}

	abstract List<@Nullable Object> parts();

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Parts value && this.format.equals(value.format) && parts().equals(value.parts());
	}

	@Override
	public int hashCode() {
		return parts().hashCode();
	}

	@Override
	public String toString() {
		return this.format.formatted(parts().toArray());
	}

}
