package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.End;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Transition;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.QueueView;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for jobs that wait for a thing, on each database.
 */
class WaitingJobsTests extends OnEachDatabase {

	private static final Instant UNTIL = NOW.plusSeconds(1000);

	private static final String THING = "signal:paid";

	private ClaimReply claim(int count, Instant now) {
		return this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", count)), count, now));
	}

	private List<Job> jobs(int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> this.store.inspector().job("job-%03d".formatted(i), NOW))
			.flatMap(Optional::stream)
			.toList();
	}

	private QueueView queue() {
		return this.store.inspector().queue("q", NOW).orElseThrow();
	}

	/**
	 * Let jobs wait, each until a time.
	 */
	private List<String> park(int count, Function<Integer, Instant> until) {
		beat(NOW);
		this.store.enqueue(IntStream.range(0, count)
			.mapToObj((i) -> NewJob.of("job-%03d".formatted(i), "q", new byte[0], NOW))
			.toList(), NOW);
		List<Claim> claims = claim(count, NOW).claims();
		assertThat(claims).hasSize(count);
		this.store.settle(IntStream.range(0, count)
			.mapToObj((i) -> Transition.waiting(claims.get(i), until.apply(i),
					TrailRules.parked(claims.get(i).job().trail(), Trail.Wait.of(THING, NOW))))
			.toList(), NOW);
		return claims.stream().map((claim) -> claim.job().id()).toList();
	}

	private Changed change(Change change) {
		return this.store.change(List.of(change), NOW).get(0);
	}

	private static Change.KeepEnd end(int value, Instant until) {
		return new Change.KeepEnd(THING, new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[] { (byte) value }, until));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void releasedJobsKeepTheOrderOfTheirTimesAndThenOfTheirIds(TestDatabase database) {
		use(database);
		park(4, (i) -> UNTIL.minusSeconds(i / 2));
		this.store.enqueue(List.of(NewJob.of("late", "q", new byte[0], NOW)), NOW);
		assertThat(change(new Change.Release(THING))).isEqualTo(Changed.DONE);
		assertThat(claim(5, NOW).claims()).extracting((claim) -> claim.job().id())
			.containsExactly("job-002", "job-003", "job-000", "job-001", "late");
	}

	@ParameterizedTest
	@MethodSource("databases")
	void jobsThatWaitForTheirTimeAndForAThingBecomeReadyInTheOrderOfTheirTimes(TestDatabase database) {
		use(database);
		park(3, (i) -> NOW.plusSeconds(10 + 10 * i));
		this.store.enqueue(List.of(NewJob.of("a", "q", new byte[0], NOW).withDueAt(NOW.plusSeconds(15)),
				NewJob.of("b", "q", new byte[0], NOW).withDueAt(NOW.plusSeconds(25))), NOW);
		assertThat(claim(5, NOW).queues().get(0).nextDue()).isEqualTo(NOW.plusSeconds(10));
		Instant then = NOW.plusSeconds(25);
		assertThat(this.store.inspector().queue("q", then).orElseThrow().ready()).isEqualTo(4);
		ClaimReply three = claim(3, then);
		assertThat(three.claims()).extracting((claim) -> claim.job().id()).containsExactly("job-000", "a", "job-001");
		assertThat(three.queues().get(0).more()).isTrue();
		ClaimReply last = claim(3, then);
		assertThat(last.claims()).extracting((claim) -> claim.job().id()).containsExactly("b");
		assertThat(last.queues().get(0).nextDue()).isEqualTo(NOW.plusSeconds(30));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void jobThatDiedWhileItWaitedStaysDead(TestDatabase database) {
		use(database);
		park(1, (i) -> NOW.plusSeconds(1));
		Instant later = NOW.plusSeconds(5000);
		assertThat(this.store.prune(new PruneRequest(null, 0, null, 0, later.minusSeconds(1), null, 100, later))
			.stranded()).isEqualTo(1);
		assertThat(change(new Change.Release(THING))).isEqualTo(Changed.NOT_FOUND);
		assertThat(jobs(1)).extracting(Job::state).containsExactly(JobState.DEAD);
		assertThat(change(new Change.Retry("job-000"))).isEqualTo(Changed.DONE);
		assertThat(change(new Change.Release(THING))).isEqualTo(Changed.NOT_FOUND);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void ofManySendersAtATimeOneKeepsTheEnd(TestDatabase database) throws Exception {
		use(database);
		for (Instant until : List.of(NOW, NOW.plusSeconds(10))) {
			List<CompletableFuture<Changed>> senders = IntStream.range(0, 8)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> change(end(i, until))))
				.toList();
			CompletableFuture.allOf(senders.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
			List<Integer> winners = IntStream.range(0, 8)
				.filter((i) -> senders.get(i).join() == Changed.DONE)
				.boxed()
				.toList();
			if (until.isAfter(NOW)) {
				Map<String, EndView> ends = this.store.inspector().ends(List.of(THING), NOW);
				assertThat(winners).hasSize(1);
				assertThat(ends.get(THING).value()).containsExactly(winners.get(0));
			}
		}
	}

	@ParameterizedTest
	@MethodSource("databases")
	void releasesAndCancelsAtATimeLeaveEachJobReadyOrGone(TestDatabase database) throws Exception {
		use(database);
		int count = 60;
		List<String> ids = park(count, (i) -> UNTIL.minusSeconds(i));
		Stream<Runnable> releases = IntStream.range(0, 3).mapToObj((i) -> () -> change(new Change.Release(THING)));
		Stream<Runnable> cancels = IntStream.range(0, 3)
			.mapToObj((i) -> () -> IntStream.range(0, count / 2)
				.filter((id) -> id % 3 == i)
				.forEach((id) -> change(new Change.Cancel(ids.get(id)))));
		CompletableFuture
			.allOf(Stream.concat(releases, cancels).map(CompletableFuture::runAsync).toArray(CompletableFuture[]::new))
			.get(60, TimeUnit.SECONDS);
		assertThat(jobs(count)).hasSize(count / 2).extracting(Job::state).containsOnly(JobState.READY);
		assertThat(queue()).extracting(QueueView::ready, QueueView::parked).containsExactly(count / 2L, 0L);
		assertThat(claim(count, NOW).claims()).hasSize(count / 2);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void whatAJobWaitsForStandsInItsRowOnlyWhileItWaits(TestDatabase database) {
		use(database);
		park(3, (i) -> (i == 0) ? NOW.plusSeconds(1) : UNTIL);
		JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
		String rows = "select count(*) from " + database.prefix(this.store) + "job where waits_for is not null";
		assertThat(jdbc.queryForObject(rows, Long.class)).isEqualTo(3);
		claim(1, NOW.plusSeconds(1));
		assertThat(jdbc.queryForObject(rows, Long.class)).isEqualTo(2);
		change(new Change.Retry("job-001"));
		assertThat(jdbc.queryForObject(rows, Long.class)).isEqualTo(1);
		change(new Change.Release(THING));
		assertThat(jdbc.queryForObject(rows, Long.class)).isZero();
	}

}
