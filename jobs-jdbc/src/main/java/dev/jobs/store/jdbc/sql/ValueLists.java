package dev.jobs.store.jdbc.sql;

import java.util.Collection;
import java.util.List;

/**
 * The way to ask a database whether a column has one of several values.
 */
public interface ValueLists {

	/**
	 * Return the condition that a column has one of some values.
	 * @param column the column
	 * @param count how many values there are
	 */
	String condition(String column, int count);

	/**
	 * Return the arguments that the condition needs.
	 */
	List<Object> arguments(Collection<?> values);

}
