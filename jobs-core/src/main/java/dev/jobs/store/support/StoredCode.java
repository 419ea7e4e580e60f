package dev.jobs.store.support;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Unique;
import org.jspecify.annotations.Nullable;

/**
 * The codes that stores write for the constants of an enum. A code never changes once it
 * is released, even if the constants are renamed or reordered.
 *
 * @param <E> the enum
 */
public final class StoredCode<E extends Enum<E>> {

	/** How long the owner of a unique key holds it. */
	public static final StoredCode<Unique.Mode> KEY_MODE = new StoredCode<>(Unique.Mode.class, (mode) -> switch (mode) {
		case UNTIL_STARTED -> "S";
		case UNTIL_DONE -> "D";
		case UNTIL_REMOVED -> "R";
	});

	/** Among which jobs a key is unique. */
	public static final StoredCode<Unique.Scope> KEY_SCOPE = new StoredCode<>(Unique.Scope.class,
			(scope) -> switch (scope) {
				case HANDLER -> "H";
				case NAMESPACE -> "N";
			});

	/** The reaction to another job that holds the key. */
	public static final StoredCode<Unique.OnDuplicate> ON_DUPLICATE = new StoredCode<>(Unique.OnDuplicate.class,
			(rule) -> switch (rule) {
				case KEEP -> "keep";
				case REPLACE -> "replace";
				case REPLACE_AND_RESCHEDULE -> "reschedule";
				case DEBOUNCE -> "debounce";
			});

	/** The outcomes of an enqueue. */
	public static final StoredCode<Enqueued.Outcome> OUTCOME = new StoredCode<>(Enqueued.Outcome.class,
			(outcome) -> switch (outcome) {
				case NEW -> "new";
				case DUPLICATE -> "duplicate";
				case REPLACED -> "replaced";
				case RESCHEDULED -> "rescheduled";
				case FULL -> "full";
				case STOPPED -> "stopped";
				case DEFERRED -> "deferred";
			});

	/** Why a job is dead. */
	public static final StoredCode<DeadReason> DEAD_REASON = new StoredCode<>(DeadReason.class,
			(reason) -> switch (reason) {
				case EXHAUSTED -> "exhausted";
				case DISCARDED -> "discarded";
				case UNREADABLE -> "unreadable";
				case NO_HANDLER -> "no-handler";
				case CRASH_LOOP -> "crash-loop";
				case EXPIRED -> "expired";
			});

	private final Map<E, String> codes;

	private final Map<String, E> constants = new HashMap<>();

	private StoredCode(Class<E> type, Function<E, String> code) {
		this.codes = new EnumMap<>(type);
		for (E constant : type.getEnumConstants()) {
			String written = code.apply(constant);
			this.codes.put(constant, written);
			if (this.constants.put(written, constant) != null) {
				throw new IllegalStateException("Two constants of " + type + " have the code '" + written + "'");
			}
		}
	}

	/**
	 * Return the code of a constant.
	 * @return what to write
	 */
	@SuppressWarnings("NullAway") // each constant has one
	public String of(E constant) {
		return this.codes.get(constant);
	}

	/**
	 * Return the constant of a code.
	 * @param code what was written
	 * @throws IllegalArgumentException if there is none with that code
	 */
	public E read(String code) {
		E constant = this.constants.get(code);
		if (constant == null) {
			throw new IllegalArgumentException("'" + code + "' is none of " + this.constants.keySet());
		}
		return constant;
	}

	/**
	 * Return the constant of a code that may be missing or written by another program.
	 * @param code what was written, or {@code null}
	 * @return the constant, or {@code null} if there is none with that code
	 */
	public @Nullable E find(@Nullable String code) {
		return this.constants.get(code);
	}

}
