package dev.jobs.store.support;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Unique.Mode;
import dev.jobs.Unique.OnDuplicate;
import dev.jobs.Unique.Scope;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StoredCodeTests {

	private static <E extends Enum<E>> Map<String, E> codes(StoredCode<E> code, E[] constants) {
		return Stream.of(constants).collect(Collectors.toMap(code::of, (constant) -> constant));
	}

	@Test
	void codesOfModesStay() {
		assertThat(codes(StoredCode.KEY_MODE, Mode.values()))
			.isEqualTo(Map.of("S", Mode.UNTIL_STARTED, "D", Mode.UNTIL_DONE, "R", Mode.UNTIL_REMOVED));
	}

	@Test
	void codesOfScopesStay() {
		assertThat(codes(StoredCode.KEY_SCOPE, Scope.values()))
			.isEqualTo(Map.of("H", Scope.HANDLER, "N", Scope.NAMESPACE));
	}

	@Test
	void codesOfDuplicateRulesStay() {
		assertThat(codes(StoredCode.ON_DUPLICATE, OnDuplicate.values()))
			.isEqualTo(Map.of("keep", OnDuplicate.KEEP, "replace", OnDuplicate.REPLACE, "reschedule",
					OnDuplicate.REPLACE_AND_RESCHEDULE, "debounce", OnDuplicate.DEBOUNCE));
	}

	@Test
	void codesOfOutcomesStay() {
		assertThat(codes(StoredCode.OUTCOME, Outcome.values())).isEqualTo(Map.of("new", Outcome.NEW, "duplicate",
				Outcome.DUPLICATE, "replaced", Outcome.REPLACED, "rescheduled", Outcome.RESCHEDULED, "full",
				Outcome.FULL, "stopped", Outcome.STOPPED, "deferred", Outcome.DEFERRED));
	}

	@Test
	void codesOfDeadReasonsStay() {
		assertThat(codes(StoredCode.DEAD_REASON, DeadReason.values()))
			.isEqualTo(Map.of("exhausted", DeadReason.EXHAUSTED, "discarded", DeadReason.DISCARDED, "unreadable",
					DeadReason.UNREADABLE, "no-handler", DeadReason.NO_HANDLER, "crash-loop", DeadReason.CRASH_LOOP,
					"expired", DeadReason.EXPIRED));
	}

	@Test
	void whatWasWrittenIsReadAgain() {
		for (Outcome outcome : Outcome.values()) {
			assertThat(StoredCode.OUTCOME.read(StoredCode.OUTCOME.of(outcome))).isEqualTo(outcome);
		}
	}

	@Test
	void unknownCodeIsRefusedByName() {
		assertThatIllegalArgumentException().isThrownBy(() -> StoredCode.KEY_MODE.read("FOREVER"))
			.withMessageContaining("'FOREVER'");
		assertThat(StoredCode.KEY_MODE.find("FOREVER")).isNull();
		assertThat(StoredCode.KEY_MODE.find(null)).isNull();
	}

}
