package dev.jobs.store.jdbc.row;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.JobState;
import dev.jobs.Unique;
import dev.jobs.store.NewJob;
import dev.jobs.store.support.StoredCode;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the columns of a job's unique key and its holder.
 */
public final class KeyColumns {

	/** The mode used for a code that another program has made up. */
	private static final Unique.Mode UNKNOWN = Unique.Mode.UNTIL_DONE;

	private KeyColumns() {
	}

	/**
	 * Return the name of a key: its digest with the scope in which it is unique.
	 */
	public static @Nullable String name(String queue, NewJob.@Nullable UniqueKey key) {
		return (key != null) ? name(queue, key.scope(), key.digest()) : null;
	}

	public static String name(String queue, Unique.Scope scope, String digest) {
		return (scope == Unique.Scope.HANDLER) ? digest + " " + queue : digest;
	}

	/**
	 * Return the SQL of the key that a job holds once it is in a state. A made-up mode
	 * counts as the middle one, neither the shortest nor the longest.
	 */
	public static String heldIn(JobState state) {
		boolean usual = NewJob.UniqueKey.isHeldIn(UNKNOWN, state);
		String others = Stream.of(Unique.Mode.values())
			.filter((mode) -> NewJob.UniqueKey.isHeldIn(mode, state) != usual)
			.map((mode) -> "'" + StoredCode.KEY_MODE.of(mode) + "'")
			.collect(Collectors.joining(", "));
		if (others.isEmpty()) {
			return column(usual);
		}
		return "case when key_mode in (" + others + ") then " + column(!usual) + " else " + column(usual) + " end";
	}

	private static String column(boolean held) {
		return held ? "held_key" : "null";
	}

	/**
	 * Return the mode of a code.
	 */
	public static Unique.Mode mode(@Nullable String code) {
		Unique.Mode mode = StoredCode.KEY_MODE.find(code);
		return (mode != null) ? mode : UNKNOWN;
	}

}
