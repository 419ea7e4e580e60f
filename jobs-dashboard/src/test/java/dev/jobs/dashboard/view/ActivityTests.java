package dev.jobs.dashboard.view;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.JobStoreException;
import dev.jobs.Note;
import dev.jobs.audit.Audit;
import dev.jobs.audit.Operator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Activity}.
 */
class ActivityTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private final ArrayNode array = JsonNodeFactory.instance.arrayNode();

	/**
	 * Return what notes say that were taken a minute apart, the first of them at
	 * {@link #START}.
	 */
	private static Activity activity(String... texts) {
		List<Note> notes = new ArrayList<>();
		IntStream.range(0, texts.length).forEach((i) -> notes.add(0, Note.of(minute(i), texts[i])));
		return new Activity(notes);
	}

	private static Instant minute(int minute) {
		return START.plusSeconds(60L * minute);
	}

	@Test
	void noteIsReadInParts() {
		activity("Worker: start by w: version 1", "of another program", "Dashboard: pause by \"a: \\\"b\\\"\": queue q")
			.put(this.array, 9, true);
		assertThat(this.array.toString()).isEqualTo("[{\"at\":\"2030-01-01T00:02:00Z\",\"surface\":\"Dashboard\","
				+ "\"action\":\"pause\",\"by\":\"\\\"a: \\\\\\\"b\\\\\\\"\\\"\",\"target\":\"queue q\"},"
				+ "{\"at\":\"2030-01-01T00:01:00Z\",\"surface\":\"\",\"action\":\"\",\"by\":\"\","
				+ "\"target\":\"of another program\"},"
				+ "{\"at\":\"2030-01-01T00:00:00Z\",\"surface\":\"Worker\",\"action\":\"start\",\"by\":\"w\","
				+ "\"target\":\"version 1\"}]");
	}

	@Test
	void textAndKeySearchedForAreHiddenFromThoseWhoSeeNoPayloads() {
		String target = "all jobs of {\"state\":\"dead\",\"text\":\"a \\\"secret\\\"\",\"uniqueKey\":\"order 7\"}, 3 changed";
		Activity activity = activity("Dashboard: delete by ada: " + target);
		activity.put(this.array, 9, true);
		activity.put(this.array, 9, false);
		assertThat(this.array.path(0).path("target").asString()).isEqualTo(target);
		assertThat(this.array.path(1).path("target").asString())
			.isEqualTo("all jobs of {\"state\":\"dead\",\"text\":\"******\",\"uniqueKey\":\"******\"}, 3 changed");
		activity("Actuator: delete by ops: all jobs of {\"uniqueKey\":\"cut off \\\"here").put(this.array, 9, false);
		assertThat(this.array.path(2).path("target").asString()).isEqualTo("all jobs of {\"uniqueKey\":\"******\"");
	}

	@Test
	void marksAreVersionsPausesAndLimits() {
		Activity activity = activity("Worker: start by w: version 1", "Worker: start by w: version 2",
				"Dashboard: pause by ada: queue q", "Actuator: limit by ops: queue q to 3",
				"Dashboard: pause by ada: queue q2", "Dashboard: lanes-rate by ada: queue q to 5/1s",
				"Dashboard: pause by ada: schedule q", "Dashboard: retry by ada: 1 job by id, 1 changed", "version 3",
				failed("queue q to 3"));
		assertThat(marks(activity, null)).containsExactly("queue q to 5/1s", "queue q2", "queue q to 3", "queue q",
				"version 2");
		assertThat(marks(activity, "q")).containsExactly("queue q to 5/1s", "queue q to 3", "queue q", "version 2");
	}

	/** Returns the note of an action that broke off. */
	private static String failed(String target) {
		List<String> texts = new ArrayList<>();
		Audit audit = new Audit(() -> START, (event) -> {
		}, texts::add);
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> audit.record(new Operator("dashboard", "ada"), "limit", target, () -> {
				throw new JobStoreException("no connection", null, true);
			}));
		return texts.get(0);
	}

	private List<String> marks(Activity activity, @Nullable String queue) {
		this.array.removeAll();
		activity.putMarks(this.array, minute(1), queue);
		return this.array.valueStream().map((mark) -> mark.path("target").asString()).toList();
	}

	@Test
	void causeIsResolvedUnlessItWasReopened() {
		Activity activity = activity("Dashboard: resolve by ada: cause a1 error",
				"Dashboard: resolve by ada: " + Activity.cause("b2", "an error"),
				"Dashboard: reopen by ada: cause a1 error", "cause b2 \"an error\"");
		assertThat(activity.resolvedAt("a1")).isNull();
		assertThat(activity.resolvedAt("b2")).isEqualTo(minute(1));
		assertThat(activity.resolvedAt("b")).isNull();
	}

	@Test
	void versionIsTheLatestThatHadStarted() {
		Activity activity = activity("Dashboard: pause by ada: queue q", "Worker: start by w: version 1",
				"Worker: start by w: version 2");
		assertThat(activity.versionAt(minute(0))).isNull();
		assertThat(activity.versionAt(minute(1))).isEqualTo("1");
		assertThat(activity.versionAt(minute(3))).isEqualTo("2");
		assertThat(activity.versionAt(null)).isNull();
	}

}
