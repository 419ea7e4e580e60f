package dev.jobs.store.jdbc.worker;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A source of deliveries: all that exist, perhaps with some that were deleted.
 *
 * @param source the table or query to select from
 * @param arguments its arguments for each use
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
