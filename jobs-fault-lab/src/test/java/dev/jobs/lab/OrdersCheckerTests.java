package dev.jobs.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.lab.Entry.Kind;
import dev.jobs.lab.Program.Operation;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OrdersChecker}: that it finds what a job remembers wrongly, and
 * nothing else.
 */
class OrdersCheckerTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private final List<Entry> entries = new ArrayList<>();

	/** A program of one step. */
	private final Program step = program(Program.Kind.STEP);

	/** A program that waits for a signal of its own for good. */
	private final Program await = program(Program.Kind.AWAIT);

	/** A program that waits for a signal of its own for a while. */
	private final Program awhile = program(Program.Kind.AWAIT_A_WHILE);

	OrdersCheckerTests() {
		note(0, "lab", Kind.CLOCK, 100_000);
		note(0, "w1", Kind.STARTED, "tick-100", "t", "ticks", "-", 1, 1);
		note(1, "w1", Kind.ENDED, "tick-100", "t", 1, "done");
		for (long millis = 0; millis < 10_000; millis += 500) {
			for (String worker : List.of("w1", "w2")) {
				note(millis, worker, Kind.BEAT, Duration.ofMillis(millis).toNanos());
			}
		}
	}

	private static Program program(Program.Kind kind) {
		return program((operations) -> operations.size() == 1 && operations.get(0).kind() == kind
				&& !operations.get(0).shared());
	}

	private static Program program(Predicate<List<Operation>> wanted) {
		return IntStream.range(0, 1_000_000)
			.mapToObj((i) -> Program.of("p-0-" + i))
			.filter((program) -> wanted.test(program.operations()))
			.findFirst()
			.orElseThrow();
	}

	private void note(long millis, String process, Kind kind, Object... words) {
		this.entries.add(new Entry(Duration.ofMillis(millis).toNanos(), process, kind,
				Stream.of(words).map(String::valueOf).toList()));
	}

	private void started(String process, Program program, long token, long at) {
		note(12, "p1", Kind.UNSURE, program.ref());
		note(at, process, Kind.STARTED, program.ref(), "j", "orders", "-", token, 1);
	}

	private void ended(String process, Program program, long token, long at, String end) {
		note(at, process, Kind.ENDED, program.ref(), "j", token, end);
		note(at + 1, process, Kind.SETTLED, "j", token, end.equals("done") ? "REMOVED" : "SCHEDULED",
				end.equals("lost") ? "LOST" : "APPLIED");
	}

	private void effect(String process, long token, long at) {
		note(at, process, Kind.EFFECT, "j", token, "0");
	}

	private void saved(String process, long token, long at) {
		note(at, process, Kind.SAVED, "j", token, "0");
	}

	/**
	 * A run of a program with one operation that returned a value and is done.
	 */
	private void done(String process, Program program, long token, long from, String value) {
		started(process, program, token, from);
		String result = program.result(Map.of(0, value)) + Orders.BY + token;
		note(from + 9, process, Kind.VALUES, "j", token, "0=" + value, "result=" + result);
		ended(process, program, token, from + 10, "done");
	}

	private String value(String by) {
		return this.step.value(this.step.operations().get(0)) + Orders.BY + by;
	}

	private List<String> violations() {
		return verdict().violations();
	}

	private Verdict verdict() {
		note(500, "lab", Kind.CALM);
		List<Entry> sorted = this.entries.stream().sorted(Comparator.comparingLong(Entry::nanos)).toList();
		return new Checker(sorted, LEASE).check(Topology.REDIS, "Redis", Map.of(), List.of());
	}

	private void expect(String... beginnings) {
		List<String> violations = violations();
		assertThat(violations).hasSize(beginnings.length);
		for (int i = 0; i < beginnings.length; i++) {
			assertThat(violations.get(i)).startsWith(beginnings[i]);
		}
	}

	@Test
	void programsAreMostlyShortAndNeverTooLong() {
		List<Integer> lengths = IntStream.range(0, 10_000)
			.mapToObj((i) -> Program.of("p-0-" + i).operations().size())
			.toList();
		assertThat(lengths).allMatch((length) -> length >= 1 && length <= Program.LONGEST);
		assertThat(lengths.stream().filter((length) -> length <= 3)).hasSizeGreaterThan(6_500);
		assertThat(lengths.stream().filter((length) -> length > 100)).isNotEmpty();
	}

	@Test
	void resultDoesNotDependOnTheVersion() {
		Program program = program((operations) -> operations.size() > 3
				&& operations.stream().allMatch((operation) -> operation.kind() == Program.Kind.STEP));
		Map<Integer, String> values = new HashMap<>();
		program.operations(2).forEach((operation) -> values.put(operation.number(), program.value(operation)));
		assertThat(program.operations(2)).isNotEqualTo(program.operations(1))
			.containsExactlyInAnyOrderElementsOf(program.operations(1));
		assertThat(program.resultOf(values)).isEqualTo(program.result(Map.of()));
	}

	@Test
	void programThatIsDoneOnceBreaksNothing() {
		effect("w1", 5, 101);
		saved("w1", 5, 102);
		done("w1", this.step, 5, 100, value("w1-1"));
		expect();
		assertThat(verdict().figures()).containsEntry("programs", 1L).containsEntry("effects of steps", 1L);
	}

	@Test
	void stepMustNotBeRepeatedOnceItIsSaved() {
		started("w1", this.step, 5, 100);
		effect("w1", 5, 101);
		saved("w1", 5, 102);
		ended("w1", this.step, 5, 103, "snoozed");
		effect("w2", 6, 201);
		done("w2", this.step, 6, 200, value("w2-1"));
		expect("step repeated: step '0' was done in");
	}

	@Test
	void stepMustNotBeRepeatedThoughNothingHappened() {
		started("w1", this.step, 5, 100);
		effect("w1", 5, 101);
		ended("w1", this.step, 5, 103, "failed");
		effect("w2", 6, 201);
		done("w2", this.step, 6, 200, value("w2-1"));
		expect("step repeated: step '0' was done in");
	}

	@Test
	void stepIsRepeatedAfterAKillInIt() {
		started("w1", this.step, 5, 100);
		effect("w1", 5, 101);
		note(103, "lab", Kind.KILLING, "w1");
		note(3500, "w2", Kind.TAKEN_OVER, "j");
		effect("w2", 6, 3601);
		done("w2", this.step, 6, 3600, value("w2-1"));
		expect();
		assertThat(verdict().figures()).containsEntry("effects of steps that were repeated", 1L);
	}

	@Test
	void runThatHasLostItsJobMayRepeatAStep() {
		note(3500, "w2", Kind.TAKEN_OVER, "j");
		started("w3", this.step, 5, 100);
		effect("w2", 6, 3601);
		saved("w2", 6, 3602);
		done("w2", this.step, 6, 3600, value("w2-1"));
		effect("w3", 5, 4000);
		ended("w3", this.step, 5, 4001, "lost");
		expect();
	}

	@Test
	void valueThatWasReturnedMustNotChange() {
		started("w1", this.step, 5, 100);
		note(102, "w1", Kind.VALUES, "j", 5, "0=" + value("w1-1"));
		ended("w1", this.step, 5, 103, "snoozed");
		done("w2", this.step, 6, 200, value("w2-1"));
		expect("value changed: step '0' of job j");
	}

	@Test
	void cursorMustNotGoBack() {
		Program cursor = program(Program.Kind.CURSOR);
		started("w1", cursor, 5, 100);
		note(102, "w1", Kind.VALUES, "j", 5, "c0=1");
		ended("w1", cursor, 5, 103, "snoozed");
		started("w2", cursor, 6, 200);
		note(202, "w2", Kind.VALUES, "j", 6, "c0=0");
		ended("w2", cursor, 6, 203, "snoozed");
		expect("value changed: cursor 'c0' of job j");
	}

	@Test
	void resultMustBeThatOfTheProgram() {
		started("w1", this.step, 5, 100);
		note(109, "w1", Kind.VALUES, "j", 5, "0=" + value("w1-1"), "result=abc@5");
		ended("w1", this.step, 5, 110, "done");
		expect("wrong result: ");
	}

	@Test
	void resultThatSomebodyGetsMustBeThatOfARun() {
		done("w1", this.step, 5, 100, value("w1-1"));
		note(300, "p1", Kind.RESULT, "j", this.step.result(Map.of()) + "@4");
		expect("wrong result: no run of job j");
	}

	@Test
	void resultMustNotBeThatOfAStaleRun() {
		note(3500, "w2", Kind.TAKEN_OVER, "j");
		done("w2", this.step, 6, 3600, value("w2-1"));
		started("w3", this.step, 5, 100);
		String result = this.step.result(Map.of()) + "@5";
		note(3700, "w3", Kind.VALUES, "j", 5, "0=" + value("w2-1"), "result=" + result);
		note(3701, "w3", Kind.ENDED, this.step.ref(), "j", 5, "done");
		note(3800, "p1", Kind.RESULT, "j", result);
		expect("stale result: p1 got what a run under token 5 returned");
	}

	@Test
	void resultThatIsKeptMustBeFound() {
		done("w1", this.step, 5, 100, value("w1-1"));
		note(300, "p1", Kind.RESULT, "j", "none");
		expect("result lost: ");
	}

	@Test
	void signalIsTheSameForAll() {
		String subject = this.await.subject(this.await.operations().get(0));
		note(50, "p1", Kind.SENT, subject, "a", "SENT");
		note(60, "p1", Kind.SENT, subject, "b", "ALREADY");
		done("w1", this.await, 5, 100, "a");
		expect();
		this.entries.replaceAll((entry) -> (entry.kind() != Kind.SENT) ? entry
				: new Entry(entry.nanos(), entry.process(), entry.kind(), List.of(subject, "c", entry.word(2))));
		expect("signal changed: ");
	}

	@Test
	void onlyOneSignalIsTheFirst() {
		String subject = this.await.subject(this.await.operations().get(0));
		note(50, "p1", Kind.SENT, subject, "a", "SENT");
		note(60, "p1", Kind.SENT, subject, "b", "SENT");
		expect("signal taken twice: ");
	}

	@Test
	void signalThatCameBeforeTheRunMustBeFound() {
		String subject = this.awhile.subject(this.awhile.operations().get(0));
		started("w1", this.awhile, 5, 100);
		ended("w1", this.awhile, 5, 110, "snoozed");
		note(150, "p1", Kind.SENT, subject, "a", "SENT");
		done("w2", this.awhile, 6, 200, Orders.OVER);
		expect("signal lost: ");
	}

	@Test
	void timeMayBeOverAsTheSignalComes() {
		String subject = this.awhile.subject(this.awhile.operations().get(0));
		note(205, "p1", Kind.SENT, subject, "a", "SENT");
		done("w2", this.awhile, 6, 200, Orders.OVER);
		expect();
	}

	@Test
	void killedRunMayHaveDecidedThatTheTimeWasOver() {
		String subject = this.awhile.subject(this.awhile.operations().get(0));
		started("w1", this.awhile, 5, 100);
		note(103, "lab", Kind.KILLING, "w1");
		note(150, "p1", Kind.SENT, subject, "a", "SENT");
		note(3500, "w2", Kind.TAKEN_OVER, "j");
		done("w2", this.awhile, 6, 3600, Orders.OVER);
		expect();
	}

	@Test
	void signalAndTimeMustNotBothWin() {
		String subject = this.awhile.subject(this.awhile.operations().get(0));
		started("w1", this.awhile, 5, 100);
		note(109, "w1", Kind.VALUES, "j", 5, "0=" + Orders.OVER);
		ended("w1", this.awhile, 5, 110, "snoozed");
		note(150, "p1", Kind.SENT, subject, "a", "SENT");
		done("w2", this.awhile, 6, 200, "a");
		expect("value changed: step '0' of job j");
	}

	@Test
	void transactionalStepHasOneRow() {
		Program program = program(Program.Kind.TRANSACTIONAL);
		done("w1", program, 5, 100, program.value(program.operations().get(0)) + "@w1-1");
		note(400, "lab", Kind.ROWS, "j", "0", 1);
		expect();
		note(400, "lab", Kind.ROWS, "j", "0", 2);
		expect("row doubled: ");
	}

	@Test
	void transactionalStepThatReturnedHasItsRow() {
		Program program = program(Program.Kind.TRANSACTIONAL);
		done("w1", program, 5, 100, program.value(program.operations().get(0)) + "@w1-1");
		note(400, "lab", Kind.ROWS, "other", "0", 1);
		expect("row missing: ");
	}

}
