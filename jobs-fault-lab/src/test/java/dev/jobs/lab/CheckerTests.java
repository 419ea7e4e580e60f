package dev.jobs.lab;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import dev.jobs.lab.Entry.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Checker}: that it finds every broken promise, and nothing else.
 */
class CheckerTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private final List<Entry> entries = new ArrayList<>();

	/** When nothing was broken any more, by the counter. */
	private long calm = 500;

	CheckerTests() {
		note(0, "lab", Kind.CLOCK, 100_000);
		note(0, "w1", Kind.STARTED, "tick-100", "t", "ticks", "-", 1, 1);
		note(1, "w1", Kind.ENDED, "tick-100", "t", 1, "done");
	}

	private void note(long millis, String process, Kind kind, Object... words) {
		this.entries.add(new Entry(Duration.ofMillis(millis).toNanos(), process, kind,
				List.of(words).stream().map(String::valueOf).toList()));
	}

	private void beats(String process, long from, long to) {
		for (long millis = from; millis <= to; millis += 500) {
			note(millis, process, Kind.BEAT, Duration.ofMillis(millis).toNanos());
		}
	}

	private void offered(String ref, String job, String queue, String key) {
		note(10, "p1", Kind.OFFERED, ref, queue, key, 0);
		note(12, "p1", Kind.ACKNOWLEDGED, ref, job);
	}

	private void run(String process, String ref, String queue, String key, long token, long from, long to) {
		started(process, ref, queue, key, token, from);
		note(to, process, Kind.ENDED, ref, "j-" + ref, token, "done");
	}

	private void started(String process, String ref, String queue, String key, long token, long from) {
		note(from, process, Kind.STARTED, ref, "j-" + ref, queue, key, token, 1);
	}

	private void accepted(String process, String ref, long token, long at) {
		note(at, process, Kind.SETTLED, "j-" + ref, token, "REMOVED", "APPLIED");
	}

	private void ticked(int second) {
		long from = 1000L * (second - 100);
		run("w1", "tick-" + second, "ticks", "-", second, from, from + 5);
	}

	private void doubled(int second) {
		long from = 1000L * (second - 100) + 20;
		note(from, "w1", Kind.STARTED, "tick-" + second, "other-" + second, "ticks", "-", second + 1000, 1);
		note(from + 5, "w1", Kind.ENDED, "tick-" + second, "other-" + second, second + 1000, "done");
	}

	private List<String> violations() {
		return verdict().violations();
	}

	private Verdict verdict() {
		note(this.calm, "lab", Kind.CALM);
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
	void undisturbedLifeBreaksNothing() {
		beats("w1", 0, 5000);
		offered("a", "j-a", "work", "-");
		run("w1", "a", "work", "-", 5, 100, 200);
		accepted("w1", "a", 5, 210);
		expect();
	}

	@Test
	void acknowledgedJobThatNeverEndsIsLost() {
		beats("w1", 0, 5000);
		offered("a", "j-a", "work", "-");
		started("w1", "a", "work", "-", 5, 100);
		expect("lost: ");
	}

	@Test
	void jobReportedAsNotStoredMustNotRun() {
		beats("w1", 0, 5000);
		note(10, "p1", Kind.OFFERED, "a", "work", "-", 0);
		note(12, "p1", Kind.REFUSED, "a");
		run("w1", "a", "work", "-", 5, 100, 200);
		expect("refused and run: ");
	}

	@Test
	void endUnderAnOlderTokenMustNotBeAccepted() {
		beats("w2", 0, 9000);
		offered("a", "j-a", "work", "-");
		run("w1", "a", "work", "-", 5, 100, 6000);
		run("w2", "a", "work", "-", 6, 4000, 4100);
		accepted("w1", "a", 5, 6010);
		expect("stale end: ");
	}

	@Test
	void twoEndsOfOneJobMustNotBeAccepted() {
		beats("w2", 0, 9000);
		offered("a", "j-a", "work", "-");
		run("w1", "a", "work", "-", 5, 100, 3500);
		accepted("w1", "a", 5, 4050);
		run("w2", "a", "work", "-", 6, 4000, 4100);
		accepted("w2", "a", 6, 4110);
		expect("two ends: ");
	}

	@Test
	void limitHoldsAtEachInstant() {
		beats("w1", 0, 5000);
		beats("w2", 0, 5000);
		for (int i = 0; i < 4; i++) {
			run((i % 2 == 0) ? "w1" : "w2", "a" + i, "limited", "-", i, 100 + i, 200 + i);
		}
		expect("limit exceeded: ");
	}

	@Test
	void laneTakesNoMoreThanItsLimitAndOthersDoNotCount() {
		beats("w1", 0, 5000);
		beats("w2", 0, 5000);
		for (int i = 0; i < 2; i++) {
			run((i % 2 == 0) ? "w1" : "w2", "a" + i, "laned", "lane-1", i, 100 + i, 200 + i);
			run((i % 2 == 0) ? "w1" : "w2", "b" + i, "laned", "lane-2", 10 + i, 100 + i, 200 + i);
		}
		run("w1", "c", "laned", "lane-1", 20, 250, 300);
		run("w2", "d", "laned", "lane-2", 21, 150, 300);
		expect("lane overfull: job j-d of 'laned'");
		assertThat(verdict().figures()).containsEntry("most jobs of a lane at once where 2 may", 3L);
	}

	@Test
	void jobThatHasBegunHoldsItsOrderedLane() {
		beats("w1", 0, 9000);
		snoozed("a", 100);
		run("w1", "b", "ordered", "lane-1", 2, 300, 310);
		run("w1", "c", "ordered", "lane-2", 3, 320, 330);
		run("w1", "a", "ordered", "lane-1", 4, 500, 510);
		accepted("w1", "a", 4, 520);
		expect("lane not held: job j-b of 'ordered'");
		assertThat(verdict().figures()).containsEntry("jobs of ordered lanes that began more than once", 1L);
	}

	@Test
	void jobThatWasTakenOverHoldsItsOrderedLane() {
		beats("w2", 0, 9000);
		offered("a", "j-a", "ordered", "lane-1");
		run("w1", "a", "ordered", "lane-1", 1, 100, 200);
		note(210, "lab", Kind.KILLING, "w1");
		run("w2", "b", "ordered", "lane-1", 2, 3000, 3010);
		note(4000, "w2", Kind.TAKEN_OVER, "j-a");
		run("w2", "a", "ordered", "lane-1", 3, 4000, 4100);
		accepted("w2", "a", 3, 4110);
		expect("lane not held: job j-b of 'ordered'");
	}

	@Test
	void workerThatLostItsLeaseHoldsNoOrderedLane() {
		beats("w1", 0, 1000);
		beats("w2", 0, 9000);
		started("w1", "a", "ordered", "lane-1", 1, 100);
		run("w2", "a", "ordered", "lane-1", 2, 5000, 5100);
		accepted("w2", "a", 2, 5110);
		run("w2", "b", "ordered", "lane-1", 3, 5200, 5300);
		note(5400, "w1", Kind.ENDED, "a", "j-a", 1, "done");
		expect();
	}

	@Test
	void orderedLaneMayBeLostToATakeoverByAnotherServer() {
		beats("w1", 0, 9000);
		snoozed("a", 100);
		note(150, "lab", Kind.FAILING_OVER);
		note(160, "lab", Kind.FAILED_OVER);
		run("w1", "b", "ordered", "lane-1", 2, 300, 310);
		run("w1", "a", "ordered", "lane-1", 4, 500, 510);
		expect();
	}

	private void snoozed(String ref, long at) {
		started("w1", ref, "ordered", "lane-1", 1, at);
		note(at + 10, "w1", Kind.ENDED, ref, "j-" + ref, 1, "snoozed");
	}

	@Test
	void jobsOfAnOrderedLaneBeginAsTheyWereEnqueued() {
		beats("w1", 0, 9000);
		note(5, "p1", Kind.TIME, 4);
		for (String ref : List.of("a", "b", "c")) {
			offered(ref, "j-" + ref, "ordered", "lane-1");
		}
		offered("d", "j-d", "ordered", "lane-2");
		int at = 100;
		for (String ref : List.of("d", "a", "c", "b")) {
			run("w1", ref, "ordered", "lane-1", at, at, at + 10);
			at += 20;
		}
		expect("lane out of order: job j-c of 'ordered'");
	}

	@Test
	void orderIsThatOfTheClockThatWasRead() {
		beats("w1", 0, 9000);
		note(5, "p1", Kind.TIME, 4);
		offered("a", "j-a", "ordered", "lane-1");
		note(15, "p1", Kind.TIME, 14);
		note(20, "p1", Kind.OFFERED, "b", "ordered", "lane-1", 0);
		note(21, "p1", Kind.ACKNOWLEDGED, "b", "j-b");
		run("w1", "b", "ordered", "lane-1", 1, 100, 110);
		run("w1", "a", "ordered", "lane-1", 2, 120, 130);
		expect();
	}

	@Test
	void jobWhoseEnqueueWasInDoubtHasNoPlaceInTheOrder() {
		beats("w1", 0, 9000);
		note(5, "p1", Kind.TIME, 4);
		note(10, "p1", Kind.OFFERED, "a", "ordered", "lane-1", 0);
		note(11, "p1", Kind.UNSURE, "a");
		offered("b", "j-b", "ordered", "lane-1");
		run("w1", "b", "ordered", "lane-1", 1, 100, 110);
		run("w1", "a", "ordered", "lane-1", 2, 120, 130);
		expect();
	}

	@Test
	void noWindowHasMoreStartsThanTheRate() {
		starts(9, 2000, 200);
		starts(8, 9000, 0);
		expect("rate exceeded: 9 jobs started within 1600 ms where 8 may");
		assertThat(verdict().figures()).containsEntry("most starts in 2000 ms where 8 may", 9L);
	}

	@Test
	void laneHasARateOfItsOwn() {
		for (int i = 0; i < 4; i++) {
			run("w1", "a" + i, "rated", "lane-1", i, 100 + i, 110);
			run("w1", "b" + i, "rated", "lane-2", i, 100 + 640 * i, 110 + 640 * i);
		}
		expect("rate exceeded: 4 jobs started within 3 ms where 3 may");
	}

	@Test
	void rateIsThatOfTheClockOfTheServer() {
		serverClock(2050, 45_000);
		starts(9, 2000, 10);
		starts(9, 11_000, 10);
		starts(9, 21_000, 10);
		expect("rate exceeded: 9 jobs started within 80 ms");
	}

	@Test
	void startsMayBeUnknownToAServerThatTookOver() {
		note(2050, "lab", Kind.FAILING_OVER);
		note(2090, "lab", Kind.FAILED_OVER);
		starts(9, 2000, 10);
		expect();
	}

	/** Jobs start after equal pauses, each in a lane of its own. */
	private void starts(int count, long from, long pause) {
		for (int i = 0; i < count; i++) {
			run("w1", from + "." + i, "rated", "lane-" + from + i, i, from + i * pause, from + i * pause + 5);
		}
	}

	@ParameterizedTest
	@CsvSource({ "limited, -, 3", "laned, lane-1, 2" })
	void limitMayBeExceededByWhoHasLostItsLease(String queue, String lane, int most) {
		beats("w1", 0, 0);
		beats("w2", 0, 9000);
		run("w1", "z", queue, lane, 1, 100, 8000);
		for (int i = 0; i < most; i++) {
			run("w2", "a" + i, queue, lane, 2 + i, 5000 + i, 5100 + i);
		}
		expect();
	}

	@Test
	void raisedLimitCountsAndLoweredOneDoesSoAfterALease() {
		beats("w1", 0, 20_000);
		note(50, "lab", Kind.LIMIT, "limited", 4);
		for (int i = 0; i < 4; i++) {
			run("w1", "a" + i, "limited", "-", i, 100 + i, 200 + i);
		}
		note(300, "lab", Kind.LIMIT, "limited", 1);
		run("w1", "b1", "limited", "-", 11, 8000, 8200);
		run("w1", "b2", "limited", "-", 12, 8100, 8300);
		expect("limit exceeded: 2 jobs ran at once where 1 may");
	}

	@Test
	void twoJobsOfOneKeyMustNotRunAtOnce() {
		beats("w1", 0, 5000);
		beats("w2", 0, 5000);
		run("w1", "a", "keyed", "k", 1, 100, 300);
		run("w2", "b", "keyed", "k", 2, 200, 400);
		run("w2", "c", "keyed", "other", 3, 200, 400);
		expect("key held twice: ");
	}

	@Test
	void ownerOfAKeyThatWasFoundTakenMustComeToItsEnd() {
		duplicate("b", 150);
		started("w1", "a", "keyed", "k", 1, 100);
		expect("owner lost: b was refused at 150000000 for job j-a, which never came to its end");
	}

	@Test
	void ownerOfAKeyThatWasFoundTakenMustBeKnown() {
		duplicate("b", 150);
		expect("owner lost: b was refused at 150000000 for job j-a");
	}

	@Test
	void ownerMayBeLostIfItsServerWasReplacedBeforeItHadAReplica() {
		duplicate("b", 150);
		note(600, "lab", Kind.FAILING_OVER);
		note(900, "lab", Kind.FAILED_OVER);
		duplicate("c", 2000);
		expect("owner lost: c was refused");
	}

	@Test
	void ownerMustHaveTheKeyThatWasFoundTaken() {
		beats("w1", 0, 5000);
		duplicate("b", 150);
		run("w1", "a", "keyed", "other", 1, 100, 200);
		expect("wrong owner: b was refused");
	}

	@Test
	void keyMustBeFreeOnceItsOwnerHasEnded() {
		beats("w1", 0, 5000);
		offered("a", "j-a", "keyed", "k");
		run("w1", "a", "keyed", "k", 1, 100, 200);
		accepted("w1", "a", 1, 210);
		duplicate("b", 205);
		duplicate("c", 220);
		expect("key not freed: c was refused");
	}

	/** An enqueue finds its key held by the job of reference a. */
	private void duplicate(String ref, long at) {
		note(at - 2, "p1", Kind.OFFERED, ref, "keyed", "k", 0);
		note(at, "p1", Kind.DUPLICATE, ref, "j-a");
	}

	@Test
	void pausedQueueStartsNothingOnceALeaseHasPassed() {
		beats("w1", 0, 9000);
		note(1000, "lab", Kind.PAUSED, "work");
		run("w1", "a", "work", "-", 1, 3900, 3950);
		run("w1", "b", "work", "-", 2, 4200, 4300);
		run("w1", "c", "later", "-", 2, 4200, 4300);
		note(5000, "lab", Kind.RESUMING, "work");
		run("w1", "d", "work", "-", 3, 5010, 5100);
		expect("started while paused: job j-b of 'work' (b) under token 2 on w1 started 3200 ms after");
	}

	@Test
	void workerThatLostItsLeaseMayStartAJobOfAPausedQueue() {
		beats("w1", 0, 1000);
		note(1000, "lab", Kind.PAUSED, "work");
		run("w1", "a", "work", "-", 1, 4200, 4300);
		expect();
	}

	@Test
	void pauseMayBeLostIfItsServerWasReplacedAtOnce() {
		beats("w1", 0, 20_000);
		note(1000, "lab", Kind.PAUSED, "work");
		note(1400, "lab", Kind.FAILING_OVER);
		note(1800, "lab", Kind.FAILED_OVER);
		run("w1", "a", "work", "-", 1, 9000, 9100);
		expect();
	}

	@Test
	void pauseMustOutliveALaterTakeover() {
		beats("w1", 0, 20_000);
		note(1000, "lab", Kind.PAUSED, "work");
		note(2000, "lab", Kind.FAILING_OVER);
		note(2400, "lab", Kind.FAILED_OVER);
		run("w1", "a", "work", "-", 1, 9000, 9100);
		expect("started while paused: job j-a");
	}

	@Test
	void figuresSayHowOftenAPromiseWasTried() {
		beats("w1", 0, 5000);
		run("w1", "a", "limited", "-", 1, 100, 300);
		run("w1", "b", "limited", "-", 2, 200, 400);
		duplicate("c", 250);
		note(1000, "lab", Kind.PAUSED, "work");
		assertThat(verdict().figures()).containsEntry("most limited jobs at once where 3 may", 2L)
			.containsEntry("enqueues that found their key held", 1L)
			.containsEntry("pauses of a queue", 1L)
			.containsEntry("ticks", 1L);
	}

	@Test
	void verdictSaysWhenTheTrialBeganAndHowLongItTook() {
		note(9000, "w1", Kind.UP);
		assertThat(verdict()).returns(Instant.ofEpochMilli(100_000), Verdict::begin)
			.returns(Duration.ofSeconds(9), Verdict::duration);
	}

	@Test
	void secondRunNeedsACause() {
		beats("w1", 0, 5000);
		beats("w2", 0, 5000);
		offered("a", "j-a", "work", "-");
		run("w1", "a", "work", "-", 1, 100, 200);
		run("w2", "a", "work", "-", 2, 300, 400);
		expect("repeated without a cause: ");
	}

	@Test
	void runThatItsWorkerDidNotWaitForMayBeRepeated() {
		beats("w1", 0, 5000);
		beats("w2", 0, 5000);
		offered("a", "j-a", "work", "-");
		note(150, "lab", Kind.STOPPING, "w1");
		run("w1", "a", "work", "-", 5, 100, 200);
		note(210, "w1", Kind.SETTLED, "j-a", 5, "FRONT", "APPLIED");
		run("w2", "a", "work", "-", 6, 300, 400);
		accepted("w2", "a", 6, 410);
		expect();
	}

	@Test
	void workerThatStartedAfterTheClockLeaptAheadMayTakeOverUntilTheOthersHaveBeaten() {
		leapt(45_000, 1250);
		run("w1", "a", "work", "-", 1, 800, 2000);
		takesOver("w2", 1290);
		assertThat(verdict().repeats())
			.containsExactly(Map.entry("a worker started just after the clock of the server had been set ahead", 1L));
	}

	@Test
	void workerThatStartedAfterTheClockLeaptAheadTakesOverNothingThatWasClaimedLater() {
		leapt(45_000, 1250);
		run("w1", "a", "work", "-", 1, 1600, 1700);
		takesOver("w2", 1790);
		expect("repeated without a cause: ");
	}

	@Test
	void workerThatStartedBeforeTheClockLeaptAheadTakesNothingOver() {
		leapt(45_000, 1250);
		beats("w3", 0, 9000);
		run("w1", "a", "work", "-", 1, 800, 2000);
		takesOver("w3", 1290);
		expect("repeated without a cause: ");
	}

	@Test
	void workerThatStartedAfterTheOthersHadBeatenTakesNothingOver() {
		leapt(45_000, 3000);
		run("w1", "a", "work", "-", 1, 800, 4000);
		takesOver("w2", 3190);
		expect("repeated without a cause: ");
	}

	@Test
	void leapOfLessThanALeaseIsNoReasonToTakeOver() {
		leapt(2000, 1250);
		run("w1", "a", "work", "-", 1, 800, 2000);
		takesOver("w2", 1290);
		expect("repeated without a cause: ");
	}

	/**
	 * One worker beats long before the clock leaps and 300 ms after it, another starts.
	 */
	private void leapt(long ahead, long start) {
		beats("w1", 0, 1000);
		serverClock(1200, ahead);
		beats("w2", start, 9000);
		beats("w1", 1500, 9000);
		offered("a", "j-a", "work", "-");
	}

	private void takesOver(String worker, long at) {
		note(at, worker, Kind.TAKEN_OVER, "j-a");
		run(worker, "a", "work", "-", 2, at + 10, at + 100);
		accepted(worker, "a", 2, at + 110);
	}

	@Test
	void workerMayStartAJobThatWasTakenFromItWhileItWasFrozen() {
		beats("w1", 0, 1000);
		tookOver();
		run("w1", "a", "work", "-", 5, 5500, 5600);
		expect();
	}

	@Test
	void workerMayStartALostJobIfItEndsItAtOnce() {
		thaws();
		run("w1", "a", "work", "-", 5, 5510, 5590);
		expect();
	}

	@Test
	void workerMustNotRunAJobItKnowsToBeLost() {
		thaws();
		run("w1", "a", "work", "-", 5, 5510, 5800);
		expect("repeated without a cause: ");
	}

	/** A worker was frozen for longer than its lease, and another has run its job. */
	private void thaws() {
		beats("w1", 0, 1000);
		beats("w1", 5500, 9000);
		tookOver();
	}

	/** Another worker has run the job under a later token. */
	private void tookOver() {
		beats("w2", 0, 9000);
		offered("a", "j-a", "work", "-");
		run("w2", "a", "work", "-", 6, 5000, 5100);
		accepted("w2", "a", 6, 5110);
	}

	@Test
	void beatThatIsUnderWayMakesNoWorkerSure() {
		beats("w1", 0, 1000);
		note(5800, "w1", Kind.BEAT, Duration.ofMillis(5400).toNanos());
		beats("w2", 0, 9000);
		offered("a", "j-a", "work", "-");
		run("w1", "a", "work", "-", 5, 5500, 5600);
		run("w2", "a", "work", "-", 6, 7000, 7100);
		accepted("w2", "a", 6, 7110);
		expect();
	}

	@Test
	void workerSureOfItsLeaseMustNotStartALostJob() {
		beats("w1", 0, 9000);
		tookOver();
		run("w1", "a", "work", "-", 5, 5500, 5600);
		expect("repeated without a cause: ");
	}

	@Test
	void killedWorkerIsACauseUnlessItsEndWasAccepted() {
		beats("w1", 0, 1000);
		beats("w2", 0, 9000);
		offered("a", "j-a", "work", "-");
		offered("b", "j-b", "work", "-");
		run("w1", "a", "work", "-", 1, 100, 200);
		run("w1", "b", "work", "-", 1, 100, 200);
		accepted("w1", "b", 1, 210);
		note(1000, "lab", Kind.KILLING, "w1");
		run("w2", "a", "work", "-", 2, 5000, 5100);
		run("w2", "b", "work", "-", 2, 5000, 5100);
		expect("repeated without a cause: job j-b");
	}

	@Test
	void tickMustNotBeMissedOrDoubled() {
		beats("w1", 0, 5000);
		ticked(101);
		doubled(101);
		ticked(103);
		ticked(104);
		expect("tick doubled: ", "tick missed: no job ran for second 102");
	}

	@Test
	void eachScheduleHasItsTicks() {
		for (int second = 101; second < 104; second++) {
			ticked(second);
			if (second != 102) {
				run("w1", "put-" + second, "ticks", "-", second, 9000, 9005);
			}
		}
		this.calm = 3500;
		expect("tick missed: no job ran for second 102 of 'put'");
	}

	@Test
	void ticksMustContinueUntilTheCalm() {
		ticked(101);
		this.calm = 3500;
		expect("tick missed: no job ran for second 102", "tick missed: no job ran for second 103");
	}

	@Test
	void ticksMayRunLate() {
		for (int second = 101; second < 104; second++) {
			run("w1", "tick-" + second, "ticks", "-", second, 9000, 9005);
		}
		this.calm = 3500;
		expect();
	}

	@Test
	void ticksAreExcusedALeaseAndASecondAroundAFailoverOnly() {
		note(20_000, "lab", Kind.FAILING_OVER);
		note(21_000, "lab", Kind.FAILED_OVER);
		for (int second = 101; second <= 140; second++) {
			if (second != 115 && second != 116 && second != 125 && second != 126) {
				ticked(second);
			}
		}
		doubled(114);
		doubled(117);
		doubled(124);
		doubled(127);
		this.calm = 39_500;
		expect("tick doubled: the tick of second 114", "tick doubled: the tick of second 127",
				"tick missed: no job ran for second 115", "tick missed: no job ran for second 126");
	}

	@Test
	void tickerThatStopsForGoodInAFailoverIsNotExcused() {
		ticked(101);
		note(2000, "lab", Kind.FAILING_OVER);
		note(2500, "lab", Kind.FAILED_OVER);
		this.calm = 8500;
		expect("tick missed: no job ran for second 107", "tick missed: no job ran for second 108");
	}

	@Test
	void tickMustNotRunBeforeItsSecond() {
		run("w1", "tick-101", "ticks", "-", 1, 950, 960);
		run("w1", "tick-102", "ticks", "-", 2, 1850, 1860);
		expect("early: job j-tick-102 of 'ticks' (tick-102) under token 2 on w1 started 150 ms before");
	}

	@Test
	void clockThatWasNotedLateMakesNoTickEarly() {
		note(900, "lab", Kind.CLOCK, 100_500);
		ticked(101);
		expect();
	}

	@Test
	void jobMustNotStartBeforeItIsDue() {
		beats("w1", 0, 5000);
		note(10, "p1", Kind.OFFERED, "a", "later", "-", 2000);
		note(12, "p1", Kind.ACKNOWLEDGED, "a", "j-a");
		run("w1", "a", "later", "-", 1, 1500, 1600);
		expect("early: ");
	}

	private void serverClock(long millis, long ahead) {
		note(millis, "lab", Kind.SETTING_SERVER_CLOCK, ahead);
		note(millis, "lab", Kind.SERVER_CLOCK_SET);
	}

	@Test
	void ticksFollowTheClockOfTheServer() {
		serverClock(500, 2000);
		run("w1", "tick-101", "ticks", "-", 1, 550, 555);
		run("w1", "tick-102", "ticks", "-", 2, 560, 565);
		run("w1", "tick-103", "ticks", "-", 3, 570, 575);
		expect("early: job j-tick-103 of 'ticks' (tick-103) under token 3 on w1 started 430 ms before");
	}

	@Test
	void delayCountsByTheTimeThatItsProducerHasRead() {
		beats("w1", 0, 5000);
		serverClock(5, -2000);
		note(9, "p1", Kind.TIME, Duration.ofMillis(8).toNanos());
		note(10, "p1", Kind.OFFERED, "a", "later", "-", 2500);
		note(12, "p1", Kind.ACKNOWLEDGED, "a", "j-a");
		serverClock(200, 0);
		run("w1", "a", "later", "-", 1, 600, 700);
		note(13, "p2", Kind.OFFERED, "b", "later", "-", 2500);
		note(14, "p2", Kind.ACKNOWLEDGED, "b", "j-b");
		run("w1", "b", "later", "-", 2, 300, 400);
		expect("early: job j-b");
	}

	@Test
	void jobsOfAKilledWorkerMustBeTakenOverHoweverTheClockJumps() {
		beats("w1", 0, 1000);
		beats("w2", 0, 60_000);
		offered("a", "j-a", "work", "-");
		offered("b", "j-b", "work", "-");
		started("w1", "a", "work", "-", 1, 900);
		started("w1", "b", "work", "-", 1, 900);
		serverClock(950, 45_000);
		note(1000, "lab", Kind.KILLING, "w1");
		serverClock(1500, 0);
		note(5000, "w2", Kind.TAKEN_OVER, "j-a");
		run("w2", "a", "work", "-", 2, 5000, 5100);
		note(48_000, "w2", Kind.TAKEN_OVER, "j-b");
		run("w2", "b", "work", "-", 3, 48_000, 48_100);
		expect("taken over late: job j-b of 'work' (b) under token 1 on w1 was cut by the end of its worker and taken "
				+ "over 47000 ms later");
	}

}
