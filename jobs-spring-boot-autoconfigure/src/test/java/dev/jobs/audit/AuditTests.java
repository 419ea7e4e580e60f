package dev.jobs.audit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.JobFilter;
import dev.jobs.JobRejectedException;
import dev.jobs.JobStoreException;
import dev.jobs.Note;
import dev.jobs.operations.JobOperations;
import dev.jobs.query.RefusedException;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Audit}.
 */
@ExtendWith(OutputCaptureExtension.class)
class AuditTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private static final Operator ADA = new Operator("dashboard", "ada");

	private final List<Object> events = new ArrayList<>();

	private final List<String> notes = new ArrayList<>();

	private final Audit audit = new Audit(() -> NOW, this.events::add, this.notes::add);

	private static List<String> lines(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains(" Dashboard: ")).toList();
	}

	@Test
	void actionIsRecordedWithUserTargetAndChangedJobs(CapturedOutput output) {
		assertThat(this.audit.record(ADA, "delete", "3 jobs by id", (changed) -> List.of("a", "b").forEach(changed)))
			.isEqualTo(2);
		assertThat(lines(output)).singleElement()
			.asString()
			.endsWith("Dashboard: delete by ada: 3 jobs by id, 2 changed: a, b");
		assertThat(this.events).containsExactly(
				new OperatorActionEvent(NOW, "dashboard", "ada", "delete", "3 jobs by id", List.of("a", "b"), true));
		assertThat(this.notes).containsExactly("Dashboard: delete by ada: 3 jobs by id, 2 changed");
	}

	@Test
	void jobsAreLoggedWhileAnActionRuns(CapturedOutput output) {
		List<String> ids = IntStream.range(0, 250).mapToObj((i) -> "job-" + i).toList();
		this.audit.record(ADA, "delete", "all jobs", (changed) -> {
			ids.subList(0, 101).forEach(changed);
			assertThat(lines(output)).singleElement()
				.asString()
				.contains("Dashboard: delete by ada: all jobs, changed job-0, job-1, ")
				.endsWith(", job-99 and more");
			ids.subList(101, 250).forEach(changed);
		});
		assertThat(lines(output)).hasSize(3);
		assertThat(lines(output).get(2)).contains("250 changed, the last of them job-200, ").endsWith(", job-249");
		assertThat(((OperatorActionEvent) this.events.get(0)).jobs()).isEqualTo(ids);
	}

	@Test
	void actionThatFailsHalfWayRecordsWhatItChanged(CapturedOutput output) {
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> this.audit.record(ADA, "retry", "all jobs", (changed) -> {
				changed.accept("a");
				throw new JobStoreException("no\nconnection", null, true);
			}));
		assertThat(lines(output)).singleElement()
			.asString()
			.endsWith("retry by ada: all jobs, 1 changed: a, but then it failed, perhaps with more changed: "
					+ "no?connection");
		assertThat(this.events).containsExactly(
				new OperatorActionEvent(NOW, "dashboard", "ada", "retry", "all jobs", List.of("a"), false));
		assertThat(this.notes).containsExactly("Dashboard: retry by ada: all jobs, 1 changed, but then it failed");
	}

	@Test
	void noteOfALongTargetSaysWhatCameOfIt() {
		String target = "all jobs of {\"text\":\"" + "x".repeat(Note.LONGEST) + "\"}";
		this.audit.record(ADA, "delete", target, (changed) -> changed.accept("a"));
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> this.audit.record(ADA, "delete", target, (changed) -> {
				throw new JobStoreException("no connection", null, true);
			}));
		assertThat(this.notes).allSatisfy((note) -> assertThat(note).hasSize(Note.LONGEST));
		assertThat(this.notes.get(0)).endsWith("xxx…, 1 changed");
		assertThat(this.notes.get(1)).endsWith("xxx…, 0 changed, but then it failed");
	}

	@Test
	void actionThatChangedNothingLeavesNoNote() {
		this.audit.record(ADA, "retry", "all jobs of {\"state\":\"dead\"}", (changed) -> {
		});
		assertThat(this.notes).isEmpty();
		assertThat(this.events).hasSize(1);
	}

	@Test
	void actionThatIsItsNoteHasOneAndFailsWithIt(CapturedOutput output) {
		this.audit.record(ADA, "resolve", "cause a1 error");
		assertThat(this.notes).containsExactly("Dashboard: resolve by ada: cause a1 error");
		Audit failing = new Audit(() -> NOW, this.events::add, (note) -> {
			throw new JobStoreException("no connection", null, true);
		});
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> failing.record(ADA, "resolve", "cause b2 error"));
		assertThat(lines(output)).hasSize(2)
			.last()
			.asString()
			.endsWith("resolve by ada: cause b2 error, but then it failed, perhaps with more changed: no connection");
		assertThat(this.events).extracting("complete").containsExactly(true, false);
	}

	@Test
	void selectionIsNotCancelledByAnActionThatThereIsNot() {
		JobOperations operations = Mockito.mock(JobOperations.class, Mockito.RETURNS_DEEP_STUBS);
		assertThatExceptionOfType(RefusedException.class)
			.isThrownBy(() -> new RecordedActions(operations, this.audit).onSelection(ADA, "purge", "all jobs",
					JobFilter.all()))
			.withMessage("'action' must be retry, cancel or delete");
		assertThat(this.events).isEmpty();
	}

	@Test
	void readThatIsRefusedForItsParametersAloneIsABadRequest() {
		assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> RefusedException.orBadRequest(() -> {
			throw new IllegalArgumentException("no such range");
		})).returns(400, RefusedException::getStatus);
		assertThatIllegalStateException().isThrownBy(() -> RefusedException.orBadRequest(() -> {
			throw new IllegalStateException("broken");
		}));
	}

	@Test
	void rejectedActionIsNotRecorded(CapturedOutput output) {
		assertThatExceptionOfType(JobRejectedException.class)
			.isThrownBy(() -> this.audit.record(ADA, "trigger", "schedule a", (changed) -> {
				throw new JobRejectedException("full", Duration.ofSeconds(1));
			}));
		assertThat(lines(output)).isEmpty();
		assertThat(this.events).isEmpty();
	}

	@Test
	void nothingForgesALineOrAnId(CapturedOutput output) {
		String ends = "\r\n\u2028\u2029\u0085\u202e\u001b[31m";
		this.audit.record(new Operator("dashboard", "ada" + ends), "delete", "x" + ends + "y",
				(changed) -> List.of("a, other", "b\"" + ends, "plain").forEach(changed));
		assertThat(lines(output)).singleElement()
			.asString()
			.endsWith("Dashboard: delete by \"ada???????[31m\": x???????[31my, 3 changed: "
					+ "\"a, other\", \"b\\\"???????[31m\", plain");
		assertThat(output.getAll()).doesNotContain("\u2028", "\u001b", "\u202e");
	}

	@Test
	void userForgesNoPartOfALine(CapturedOutput output) {
		this.audit.record(new Operator("dashboard", "ada: 1 job by id, 1 changed: 01k3victim"), "pause", "queue ok",
				() -> {
				});
		assertThat(lines(output)).singleElement()
			.asString()
			.endsWith("Dashboard: pause by \"ada: 1 job by id, 1 changed: 01k3victim\": queue ok");
		assertThat(this.events).singleElement().extracting("user").isEqualTo("ada: 1 job by id, 1 changed: 01k3victim");
	}

	@Test
	void textOfAnEventIsOneCleanLine() {
		String ends = "x\r\n\u2028\u0085\u202e\u001b";
		assertThat(List.of(new OperatorActionEvent(NOW, ends, ends, ends, ends, List.of(ends), true),
				new OperatorRefusalEvent(NOW, ends, ends, ends, ends, ends)))
			.allSatisfy((event) -> assertThat(event.toString()).startsWith(event.getClass().getSimpleName() + "[at=")
				.contains("x")
				.doesNotContainPattern("[\\p{C}\\p{Zl}\\p{Zp}]"));
	}

	@Test
	void actionThatTheStoreKeepsNoNoteOfIsDoneAndRecorded(CapturedOutput output) {
		Audit audit = new Audit(() -> NOW, this.events::add, (note) -> {
			throw new JobStoreException("no connection", null, true);
		});
		audit.record(ADA, "pause", "queue q", () -> {
		});
		assertThat(lines(output)).hasSize(2).first().asString().endsWith("Dashboard: pause by ada: queue q");
		assertThat(lines(output).get(1)).endsWith("queue q: the store did not keep it for the page Activity: "
				+ "dev.jobs.JobStoreException: no connection");
		assertThat(output.getAll()).doesNotContain("\tat ");
		assertThat(this.events).hasSize(1);
	}

	@Test
	@ExpectsFaults("a listener failed to handle")
	void failingListenerNeitherUndoesAnActionNorForgesALine(CapturedOutput output) {
		Audit failing = new Audit(() -> NOW, (event) -> {
			throw new IllegalStateException("listener\n2030-01-01 INFO Dashboard: admin did delete");
		}, this.notes::add);
		assertThat(failing.record(ADA, "delete", "1 job by id", (changed) -> changed.accept("a"))).isOne();
		assertThat(output.getAll().lines()).noneMatch((line) -> line.startsWith("2030-01-01"))
			.anyMatch((line) -> line.contains("AuditTests"));
	}

}
