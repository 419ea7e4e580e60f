package dev.jobs.store.jdbc.row;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Trail;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.ScheduleView.Fired;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JsonColumns}.
 */
class JsonColumnsTests {

	@Test
	void trailIsReadWithAndWithoutItsStacks() {
		Trail trail = TrailBuilder.ended(
				TrailRules.failed(
						TrailRules.failed(Trail.EMPTY, Trail.Attempt.of(1, Instant.EPOCH, "first ,\"stacks\":")),
						Trail.Attempt.of(2, Instant.EPOCH, "second").withStackTrace("at ,\"stacks\":").withLog("log")),
				Trail.End.of(DeadReason.EXHAUSTED, "end", Instant.EPOCH));
		String text = Objects.requireNonNull(JsonColumns.trail(trail));
		assertThat(JsonColumns.trail(text)).isEqualTo(trail);
		List<String> parts = List.of(text.split(",\"stacks\":", 2));
		assertThat(JsonColumns.trail(parts.get(0) + '}').attempts()).containsExactly(trail.attempts().get(0),
				Trail.Attempt.of(2, Instant.EPOCH, "second"));
		assertThat(JsonColumns.trail(parts.get(0) + '}').end()).isEqualTo(trail.end());
		assertThat(parts.get(0)).doesNotContain("at ", "\"log\":\"");
		assertThat(JsonColumns.trail(text + '}')).isEqualTo(trail);
	}

	@Test
	void trailWithTooFewStacksIsRead() {
		String text = """
				{"v":1,"failures":2,"attempts":[{"number":1,"endedAt":"1970-01-01T00:00:00Z","error":"no"},
				{"number":2,"endedAt":"1970-01-01T00:00:00Z","error":"no"}],"stacks":%s}""";
		for (String stacks : List.of("null", "[]", "[null]", "[null,{}]")) {
			assertThat(JsonColumns.trail(text.formatted(stacks)).attempts()).as(stacks)
				.extracting(Trail.Attempt::error)
				.containsExactly("no", "no");
		}
	}

	@Test
	void trailIsWrittenInItsVersion() {
		Trail trail = new TrailBuilder().failures(2)
			.abandonments(1)
			.suspect(true)
			.postponements(3)
			.attempts(List.of(Trail.Attempt.of(1, Instant.EPOCH, "no").withStackTrace("at").withLog("log")))
			.end(Trail.End.of(DeadReason.NO_HANDLER, "end", Instant.EPOCH))
			.build();
		assertThat(JsonColumns.trail(trail)).isEqualTo(
				"{\"v\":1,\"failures\":2,\"abandonments\":1,\"crashes\":0," + "\"suspect\":true,\"postponements\":3,"
						+ "\"attempts\":[{\"number\":1,\"endedAt\":\"1970-01-01T00:00:00Z\",\"error\":\"no\"}],"
						+ "\"end\":{\"reason\":\"no-handler\",\"message\":\"end\",\"at\":\"1970-01-01T00:00:00Z\"},"
						+ "\"stacks\":[{\"stackTrace\":\"at\",\"log\":\"log\"}]}");
	}

	@Test
	void firedTicksAreWrittenInTheirVersion() {
		List<Fired> fired = List.of(new Fired(Instant.EPOCH, Instant.EPOCH, Outcome.NEW, "id"));
		String text = JsonColumns.fired(fired);
		assertThat(text).isEqualTo("{\"v\":1,\"ticks\":[{\"tick\":\"1970-01-01T00:00:00Z\","
				+ "\"at\":\"1970-01-01T00:00:00Z\",\"outcome\":\"new\",\"jobId\":\"id\"}]}");
		assertThat(JsonColumns.fired(text)).isEqualTo(fired);
	}

	@Test
	void whatIsOfAnotherVersionCountsAsMissing() {
		String text = "{\"v\":%s,\"failures\":1,\"at\":\"1970-01-01T00:00:00Z\"}";
		assertThat(JsonColumns.trail(text.formatted(1)).failures()).isOne();
		for (String version : List.of("0", "2", "-1")) {
			assertThat(JsonColumns.trail(text.formatted(version))).isEqualTo(Trail.EMPTY);
			assertThat(JsonColumns.fired(text.formatted(version))).isEmpty();
		}
	}

}
