package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

import dev.jobs.DeadReason;
import dev.jobs.Job.Progress;
import dev.jobs.Trail;
import dev.jobs.store.WorkerInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Texts} of versions side by side.
 */
class TextsTests {

	@Test
	void textOfAVersionWithoutLogsIsRead() {
		assertThat(Texts.progress("{\"checkIn\":\"told\",\"done\":3,\"total\":7,\"at\":\"1970-01-01T00:00:00Z\"}"))
			.isEqualTo(new Progress("told", 3, 7, Instant.EPOCH));
		Trail trail = Texts
			.trail("""
					{"failures":1,"attempts":[{"number":1,"endedAt":"1970-01-01T00:00:00Z","error":"no","stackTrace":"at"}]}""");
		assertThat(trail.lastAttempt()).isEqualTo(new Trail.Attempt(1, Instant.EPOCH, "no", "at"));
	}

	@Test
	void trailIsReadWithAndWithoutItsStacks() {
		Trail trail = Trail.EMPTY.failed(new Trail.Attempt(1, Instant.EPOCH, "first ,\"stacks\":", null))
			.failed(new Trail.Attempt(2, Instant.EPOCH, "second", "at ,\"stacks\":", "log"))
			.ended(new Trail.End(DeadReason.EXHAUSTED, "end", Instant.EPOCH));
		String text = Objects.requireNonNull(Texts.trail(trail));
		assertThat(Texts.trail(text)).isEqualTo(trail);
		List<String> parts = List.of(text.split(",\"stacks\":", 2));
		assertThat(Texts.trail(parts.get(0) + '}').attempts()).containsExactly(trail.attempts().get(0),
				new Trail.Attempt(2, Instant.EPOCH, "second", null));
		assertThat(Texts.trail(parts.get(0) + '}').end()).isEqualTo(trail.end());
		assertThat(parts.get(0)).doesNotContain("at ", "\"log\":\"");
		assertThat(Texts.trail(text + '}')).isEqualTo(trail);
	}

	@Test
	void trailWithTooFewStacksIsRead() {
		String text = """
				{"failures":2,"attempts":[{"number":1,"endedAt":"1970-01-01T00:00:00Z","error":"no","stackTrace":"at"},
				{"number":2,"endedAt":"1970-01-01T00:00:00Z","error":"no"}],"stacks":%s}""";
		for (String stacks : List.of("null", "[]", "[null]", "[null,{}]")) {
			assertThat(Texts.trail(text.formatted(stacks)).attempts()).as(stacks)
				.extracting(Trail.Attempt::stackTrace)
				.containsExactly("at", null);
		}
	}

	@Test
	void workerOfAVersionWithoutLimitsIsRead() {
		String info = """
				{"host":"h","pid":1,"version":"","startedAt":"1970-01-01T00:00:00Z",
				"pools":[{"name":"p","concurrency":1,"busy":0,"queues":["q"]}]%s}""";
		WorkerInfo expected = new WorkerInfo("h", 1, "", Instant.EPOCH,
				List.of(new WorkerInfo.Pool("p", 1, 0, List.of("q"))), List.of());
		assertThat(Texts.info(info.formatted(""))).isEqualTo(expected);
		assertThat(Texts.info(info.formatted(",\"limits\":null"))).isEqualTo(expected);
		assertThat(Texts.info(info.formatted(",\"limits\":[{}]"))).isNull();
		assertThat(Texts.info(info.formatted(",\"limits\":[null]"))).isNull();
	}

	@Test
	void whatALaterVersionAddsIsPassedOver() {
		assertThat(Texts
			.trail("""
					{"failures":1,"later":[],"attempts":[{"number":1,"endedAt":"1970-01-01T00:00:00Z","error":"no","later":{}}]}""")
			.lastAttempt()).isEqualTo(new Trail.Attempt(1, Instant.EPOCH, "no", null));
	}

}
