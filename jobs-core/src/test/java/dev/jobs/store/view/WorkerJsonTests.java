package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

import dev.jobs.Job.Progress;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WorkerJson}.
 */
class WorkerJsonTests {

	@Test
	void workerIsWrittenInItsVersion() {
		WorkerInfo info = new WorkerInfo("h", 1, "", Instant.EPOCH,
				List.of(new WorkerInfo.Pool("p", 1, 0, List.of("q"))),
				List.of(new WorkerInfo.Limit("q", 2, 3, 0, "5/1s", true)), new WorkerInfo.Jvm("25", "1.0", 4, 5, 6));
		String text = Objects.requireNonNull(WorkerJson.of(info));
		assertThat(text).isEqualTo("{\"v\":1,\"info\":{\"host\":\"h\",\"pid\":1,\"version\":\"\","
				+ "\"startedAt\":\"1970-01-01T00:00:00Z\","
				+ "\"pools\":[{\"name\":\"p\",\"concurrency\":1,\"busy\":0,\"queues\":[\"q\"]}],"
				+ "\"limits\":[{\"queue\":\"q\",\"everywhere\":2,\"here\":3,\"inLane\":0,\"rate\":\"5/1s\",\"lanesRated\":true}],"
				+ "\"jvm\":{\"java\":\"25\",\"jobs\":\"1.0\",\"heapUsed\":4,\"heapMax\":5,\"threads\":6}}}");
		assertThat(WorkerJson.info(text)).isEqualTo(info);
		assertThat(WorkerJson.info(text.replace("\"queue\":\"q\",", ""))).isNull();
		assertThat(WorkerJson.info(text.replace("5/1s", "fast"))).isNull();
		assertThat(WorkerJson.info(text.replaceFirst("\"limits\":.*?]", "\"limits\":null"))).isNull();
		assertThat(WorkerJson.info(text.replace("\"java\":\"25\",", ""))).isNull();
		assertThat(WorkerJson.info(text.replaceFirst(",\"jvm\":.*?}", ""))).isNotNull();
		assertThat(WorkerJson.info(text.replace("\"v\":1", "\"v\":2"))).isNull();
		assertThat(WorkerJson.info(text.replace("1970", "+999999999"))).isNull();
		assertThat(WorkerJson.info("no JSON")).isNull();
	}

	@Test
	void progressIsWrittenInItsVersion() {
		Progress progress = Progress.of("told", 3, 7, Instant.EPOCH).withLog("log");
		String text = WorkerJson.of(progress);
		assertThat(text).isEqualTo("{\"v\":1,\"checkIn\":\"told\",\"done\":3,\"total\":7,"
				+ "\"at\":\"1970-01-01T00:00:00Z\",\"log\":\"log\"}");
		assertThat(WorkerJson.progress(text)).isEqualTo(progress);
		assertThat(WorkerJson.progress(text.replace("\"v\":1", "\"v\":2"))).isNull();
		assertThat(WorkerJson.progress(text.replace("1970", "+999999999"))).isNull();
		assertThat(WorkerJson.progress("{\"v\":1}")).isNull();
		assertThat(WorkerJson.progress("")).isNull();
	}

}
