package dev.jobs.store.support;

import java.util.List;

import dev.jobs.JobFilter;
import dev.jobs.PageRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Cursor}.
 */
class CursorTests {

	private static final PageRequest FIRST = PageRequest.oldestFirst(10);

	private static List<String> readBack(List<String> position) {
		return Cursor.read(JobFilter.all(), FIRST.after(Cursor.write(position, JobFilter.all(), FIRST)));
	}

	@Test
	void positionIsReadBackWhateverTheIdContains() {
		List<String> position = List.of("17", "", "a\nb\u0001\u0085\u2028 ä");
		assertThat(readBack(position)).isEqualTo(position);
	}

	@Test
	void forgedPositionThatNoStoreCanBeAskedForIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> readBack(List.of("17", "a\0b")))
			.withMessageContaining("The cursor does not belong to this list");
	}

}
