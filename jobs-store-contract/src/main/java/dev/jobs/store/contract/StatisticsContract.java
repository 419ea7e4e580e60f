package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import dev.jobs.store.Change;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerBeat.Report;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.Tally.Span;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about the statistics.
 */
abstract class StatisticsContract extends ContractPart {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

	StatisticsContract(StoreSource source) {
		super(source);
	}

	private static Instant minute(int minutes) {
		return START.plusSeconds(60L * minutes);
	}

	/** A tally of which each number is another multiple of a factor. */
	private static Tally tally(String queue, Instant start, long factor) {
		long[] cells = new long[Tally.CELLS];
		Arrays.setAll(cells, (i) -> (i + 1) * factor);
		return Tally.of(queue, start, cells);
	}

	private void report(String worker, long number, Tally... tallies) {
		WorkerBeat beat = new WorkerBeat(worker, LEASE, null, List.of(), new Report(number, List.of(tallies)), false,
				this.now);
		while (!this.store.beat(beat).reported()) {
			Thread.onSpinWait();
		}
	}

	private List<Tally> statistics(Duration step, String... queues) {
		return this.store.inspector()
			.statistics(Set.of(queues),
					new Period(START.minus(Duration.ofDays(7)), START.plus(Duration.ofDays(7)), step));
	}

	@Test
	void reportIsAddedToItsMinuteAndItsTenMinutes() {
		report("w", 1, tally("a", minute(12), 1), tally("a", minute(13), 10), tally("b", minute(12), 3));
		assertThat(statistics(MINUTE)).containsExactly(tally("a", minute(12), 1), tally("a", minute(13), 10),
				tally("b", minute(12), 3));
		assertThat(statistics(TEN_MINUTES)).containsExactly(tally("a", minute(10), 11), tally("b", minute(10), 3));
	}

	@Test
	void reportsOfAllWorkersAreSummedUp() {
		report("v", 1, tally("q", minute(0), 1));
		report("w", 1, tally("q", minute(0), 2));
		report("w", 2, tally("q", minute(0), 1_000_000));
		assertThat(statistics(MINUTE)).containsExactly(tally("q", minute(0), 1_000_003));
	}

	@Test
	void repeatedReportIsNotAddedTwice() {
		report("w", 7, tally("q", minute(0), 1));
		report("w", 7, tally("q", minute(0), 1));
		report("w", 6, tally("q", minute(0), 1));
		assertThat(statistics(MINUTE)).containsExactly(tally("q", minute(0), 1));
		report("w", 8, tally("q", minute(0), 1));
		assertThat(statistics(MINUTE)).containsExactly(tally("q", minute(0), 2));
	}

	@Test
	void lastReportOfAWorkerIsAdded() {
		report("w", 1, tally("q", minute(0), 1));
		this.store.beat(new WorkerBeat("w", LEASE, null, List.of(), new Report(2, List.of(tally("q", minute(0), 2))),
				true, this.now));
		assertThat(statistics(MINUTE)).containsExactly(tally("q", minute(0), 3));
		assertThat(this.store.inspector().workers(this.now)).isEmpty();
	}

	@Test
	void stepsSumUpTheirSpans() {
		report("w", 1, tally("q", minute(4), 1), tally("q", minute(5), 2), tally("q", minute(9), 3),
				tally("q", minute(25), 4));
		assertThat(statistics(Duration.ofMinutes(5))).containsExactly(tally("q", minute(0), 1),
				tally("q", minute(5), 5), tally("q", minute(25), 4));
		assertThat(statistics(Duration.ofMinutes(30))).containsExactly(tally("q", minute(0), 10));
	}

	@Test
	void periodAndQueuesNarrowTheStatistics() {
		report("w", 1, tally("a", minute(1), 1), tally("a", minute(2), 2), tally("a", minute(3), 3),
				tally("b", minute(2), 4));
		Period period = new Period(minute(2).plusSeconds(30), minute(2).plusSeconds(40), MINUTE);
		assertThat(this.store.inspector().statistics(Set.of(), period)).containsExactly(tally("a", minute(2), 2),
				tally("b", minute(2), 4));
		assertThat(this.store.inspector().statistics(Set.of("b", "unknown"), period))
			.containsExactly(tally("b", minute(2), 4));
	}

	@Test
	void pruneRemovesWhatIsNotKept() {
		Instant oldest = Span.MINUTE.keptSince(this.now);
		Instant oldestTen = Span.TEN_MINUTES.keptSince(this.now);
		report("w", 1, tally("q", oldest.minusSeconds(60), 1), tally("q", oldest, 2),
				tally("q", oldestTen.minusSeconds(60), 3), tally("q", oldestTen, 4));
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 10, this.now));
		assertThat(statistics(MINUTE)).containsExactly(tally("q", oldest, 2));
		assertThat(statistics(TEN_MINUTES)).extracting(Tally::start)
			.containsExactly(oldestTen, Span.TEN_MINUTES.startOf(oldest.minusSeconds(60)), oldest);
	}

	@Test
	void purgeRemovesTheStatistics() {
		report("w", 1, tally("q", minute(0), 1));
		change(new Change.Purge());
		assertThat(statistics(MINUTE)).isEmpty();
		assertThat(statistics(TEN_MINUTES)).isEmpty();
	}

	@Test
	void reportsAtOnceAreAllAdded() {
		List<String> queues = List.of("a", "b", "c", "d", "e");
		List<CompletableFuture<Void>> workers = IntStream.range(0, 4)
			.mapToObj((worker) -> CompletableFuture.runAsync(() -> {
				for (int number = 1; number <= 5; number++) {
					List<String> order = new ArrayList<>(queues);
					Collections.rotate(order, worker);
					report("w" + worker, number,
							order.stream().map((queue) -> tally(queue, START, 1)).toArray(Tally[]::new));
				}
			}))
			.toList();
		workers.forEach(CompletableFuture::join);
		Tally[] sums = queues.stream().map((queue) -> tally(queue, START, 20)).toArray(Tally[]::new);
		assertThat(statistics(MINUTE)).containsExactly(sums);
		assertThat(statistics(TEN_MINUTES)).containsExactly(sums);
	}

}
