package dev.jobs.store.jdbc.worker;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Where to read deliveries: all that exist, perhaps with some that were deleted.
 *
 * @param source what to select them from
 * @param arguments what it needs, wherever it stands
 */
public record DeliveryRows(String source, List<Object> arguments) {

	/** The whole table. */
	public static final DeliveryRows ALL = new DeliveryRows("{delivery}", List.of());

	/**
	 * Return the arguments of a statement that reads them once, first.
	 */
	public @Nullable Object[] with(@Nullable Object... more) {
		return Stream.concat(this.arguments.stream(), Arrays.stream(more)).toArray();
	}

}
