package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.List;

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
