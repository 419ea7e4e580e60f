package dev.jobs.store.jdbc.row;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import dev.jobs.store.End;
import dev.jobs.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of ends.
 *
 * @param id the id of the job, or of another thing
 * @param token the token it ended under, which is not stored
 * @param state its {@link StateColumn}
 * @param until until when it is kept
 * @param trail its trail, or {@code null} for none
 * @param value what its handler returned, or {@code null}
 */
public record KeptEnd(String id, long token, int state, long until, @Nullable String trail, byte @Nullable [] value) {

	/**
	 * Return the rows of those transitions whose end is kept, in the order of their ids.
	 */
	public static List<KeptEnd> of(Collection<Transition> transitions) {
		return transitions.stream()
			.filter((transition) -> transition.end() != null)
			.map(KeptEnd::of)
			.sorted(Comparator.comparing(KeptEnd::id))
			.toList();
	}

	private static KeptEnd of(Transition transition) {
		return of(transition.id(), transition.token(), Objects.requireNonNull(transition.end()));
	}

	public static KeptEnd of(String id, long token, End end) {
		return new KeptEnd(id, token, StateColumn.ended(end.state()), EpochMillis.of(end.until()),
				JsonColumns.trail(end.trail()), end.value());
	}

}
