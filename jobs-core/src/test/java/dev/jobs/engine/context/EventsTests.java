package dev.jobs.engine.context;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Events}.
 */
class EventsTests {

	private static final String ENDS = "boom\r\n2030-01-01 INFO dev.jobs.audit.Audit : Dashboard: delete by admin"
			+ "\u001b[31m\u0085\u2028\u2029\u202e\u0000";

	static Class<?>[] kinds() {
		return Events.class.getDeclaredClasses();
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void textOfAnEventIsOneCleanLineWhateverIsInIt(Class<?> kind) throws ReflectiveOperationException {
		RecordComponent[] parts = kind.getRecordComponents();
		Constructor<?> constructor = kind
			.getDeclaredConstructor(Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
		Object event = constructor.newInstance(Arrays.stream(parts).map((part) -> hostile(part.getType())).toArray());
		assertThat(event).isInstanceOf(JobEvent.class);
		assertThat(event.toString()).startsWith(kind.getSimpleName() + "[")
			.endsWith("]")
			.contains("boom")
			.doesNotContainPattern("[\\p{C}\\p{Zl}\\p{Zp}]");
	}

	private static Object hostile(Class<?> type) {
		if (type == Job.class) {
			return Job.builder(ENDS, ENDS).build();
		}
		if (type == Throwable.class) {
			return new IllegalStateException(ENDS, new IllegalArgumentException(ENDS));
		}
		if (type == String.class) {
			return ENDS;
		}
		if (type == boolean.class) {
			return true;
		}
		if (type == Instant.class) {
			return Instant.EPOCH;
		}
		if (type == Duration.class) {
			return Duration.ZERO;
		}
		return (type == DeadReason.class) ? DeadReason.values()[0] : Enqueued.Outcome.values()[0];
	}

}
