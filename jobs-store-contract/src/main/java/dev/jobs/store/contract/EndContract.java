package dev.jobs.store.contract;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;

import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.End;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.view.EndView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about ends that are {@linkplain Transition#end() kept}.
 */
abstract class EndContract extends ContractPart {

	EndContract(StoreSource source) {
		super(source);
	}

	private static End succeeded(Claim claim, String value, Instant until) {
		return new End(JobState.SUCCEEDED, claim.job().trail(), value.getBytes(), until);
	}

	private @Nullable EndView end(String job) {
		return this.store.inspector().ends(List.of(job), this.now).get(job);
	}

	private @Nullable String value(String job) {
		EndView end = end(job);
		return (end != null && end.value() != null) ? new String(end.value()) : null;
	}

	private @Nullable JobState stateOf(String job) {
		EndView end = end(job);
		return (end != null) ? end.state() : null;
	}

	private void prune() {
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, this.now));
	}

	@Test
	void endThatIsKeptIsThereThoughItsJobIsGone() {
		Claim claim = enqueueAndClaim("w", "q");
		String id = claim.job().id();
		assertThat(stateOf(id)).isEqualTo(JobState.RUNNING);
		assertThat(settle(Transition.removed(claim, this.now).keeping(succeeded(claim, "42", after(10)))))
			.isEqualTo(Settled.APPLIED);
		assertThat(this.store.inspector().job(id, this.now)).isEmpty();
		assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
		assertThat(value(id)).isEqualTo("42");
	}

	@Test
	void endIsKeptUntilItsTimeIsOver() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.removed(claim, this.now).keeping(succeeded(claim, "42", after(10))));
		pass(9);
		prune();
		assertThat(value(claim.job().id())).isEqualTo("42");
		pass(1);
		assertThat(end(claim.job().id())).isNull();
		prune();
		this.now = START;
		assertThat(end(claim.job().id())).isNull();
	}

	@Test
	void pruneForgetsAsManyEndsAsItMay() {
		enqueue(jobs("q", 5));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 5);
		claims.forEach((claim) -> settle(Transition.removed(claim, this.now).keeping(succeeded(claim, "x", after(1)))));
		List<String> ids = claims.stream().map((claim) -> claim.job().id()).toList();
		pass(2);
		for (int i = 0; i < 5; i++) {
			this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 2, this.now));
		}
		this.now = START;
		assertThat(this.store.inspector().ends(ids, this.now)).isEmpty();
	}

	@Test
	void jobThatIsUnknownHasNoEnd() {
		String id = enqueue("q");
		Map<String, EndView> ends = this.store.inspector().ends(List.of("no-such-job", id), this.now);
		assertThat(ends).containsOnlyKeys(id);
		assertThat(this.store.inspector().ends(List.of(), this.now)).isEmpty();
	}

	@Test
	void jobThatIsStoredSaysWhereItIs() {
		enqueue(jobs("q", 4));
		String scheduled = enqueue("q", after(1000));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 3);
		List<String> ids = claims.stream().map((claim) -> claim.job().id()).toList();
		settle(Transition.kept(claims.get(0), this.now, failed(claims.get(0))));
		settle(Transition.cancelled(claims.get(1), this.now, failed(claims.get(1))));
		kill(claims.get(2));
		assertThat(ids).extracting(this::stateOf)
			.containsExactly(JobState.SUCCEEDED, JobState.CANCELLED, JobState.DEAD);
		assertThat(stateOf(scheduled)).isEqualTo(JobState.SCHEDULED);
		assertThat(ids).extracting(this::value).containsOnlyNulls();
		EndView dead = Objects.requireNonNull(end(ids.get(2)));
		assertThat(dead.trail().attempts()).hasSize(1);
		assertThat(dead.trail().end()).isNotNull();
	}

	@Test
	void valueIsKnownOfAJobThatIsKeptToo() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.kept(claim, this.now, failed(claim)).keeping(succeeded(claim, "42", after(10))));
		assertThat(value(claim.job().id())).isEqualTo("42");
		pass(11);
		assertThat(stateOf(claim.job().id())).isEqualTo(JobState.SUCCEEDED);
		assertThat(value(claim.job().id())).isNull();
	}

	@Test
	void endTellsTheTrail() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = failed(claim);
		settle(Transition.removed(claim, this.now).keeping(new End(JobState.CANCELLED, trail, null, after(10))));
		EndView end = Objects.requireNonNull(end(claim.job().id()));
		assertThat(end.state()).isEqualTo(JobState.CANCELLED);
		assertThat(end.value()).isNull();
		assertThat(end.trail()).isEqualTo(trail);
	}

	@Test
	void endUnderAnOldTokenIsNotKept() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.scheduled(claim, this.now, failed(claim)));
		Claim next = claim("w", "q", 1).get(0);
		assertThat(settle(Transition.removed(claim, this.now).keeping(succeeded(claim, "old", after(10)))))
			.isEqualTo(Settled.LOST);
		assertThat(stateOf(claim.job().id())).isEqualTo(JobState.RUNNING);
		assertThat(settle(Transition.removed(next, this.now).keeping(succeeded(next, "new", after(10)))))
			.isEqualTo(Settled.APPLIED);
		assertThat(settle(Transition.removed(claim, this.now).keeping(succeeded(claim, "old", after(10)))))
			.isEqualTo(Settled.GONE);
		assertThat(value(claim.job().id())).isEqualTo("new");
	}

	@Test
	void jobThatRunsAgainAfterItsDeathHasNotEnded() {
		Claim claim = enqueueAndClaim("w", "q");
		String id = claim.job().id();
		Trail trail = failed(claim);
		settle(Transition.dead(claim, this.now, trail).keeping(new End(JobState.DEAD, trail, null, after(100))));
		assertThat(stateOf(id)).isEqualTo(JobState.DEAD);
		change(new Change.Retry(id));
		assertThat(stateOf(id)).isEqualTo(JobState.READY);
		Claim next = claim("w", "q", 1).get(0);
		settle(Transition.removed(next, this.now).keeping(succeeded(next, "42", after(10))));
		assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
		assertThat(value(id)).isEqualTo("42");
	}

	@Test
	void endOfADeadJobStaysWhenThatIsDeleted() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = failed(claim);
		settle(Transition.dead(claim, this.now, trail).keeping(new End(JobState.DEAD, trail, null, after(100))));
		change(new Change.Delete(claim.job().id()));
		assertThat(stateOf(claim.job().id())).isEqualTo(JobState.DEAD);
	}

	@Test
	void jobThatTakesTheIdOfOneThatEndedHasNotEnded() {
		NewJob job = job("q");
		enqueue(job);
		register("w", "q");
		Claim claim = claim("w", "q", 1).get(0);
		settle(Transition.removed(claim, this.now).keeping(succeeded(claim, "old", after(10))));
		enqueue(job);
		assertThat(stateOf(job.id())).isEqualTo(JobState.READY);
		assertThat(value(job.id())).isNull();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 1_000_000 })
	void valueIsBytes(int length) {
		Claim claim = enqueueAndClaim("w", "q");
		byte[] bytes = new byte[length];
		new Random(7).nextBytes(bytes);
		settle(Transition.removed(claim, this.now)
			.keeping(new End(JobState.SUCCEEDED, claim.job().trail(), bytes, after(10))));
		EndView end = Objects.requireNonNull(end(claim.job().id()));
		assertThat(end.value()).isEqualTo(bytes);
	}

	@Test
	void manyEndAndAreAskedForAtOnce() {
		enqueue(jobs("q", 500));
		enqueue(jobs("r", 500));
		register("w", "q", "r");
		List<Claim> claims = IntStream.range(0, 2)
			.mapToObj((i) -> claim("w", (i == 0) ? "q" : "r", 500))
			.flatMap(List::stream)
			.toList();
		this.store.settle(IntStream.range(0, 1000)
			.mapToObj((i) -> (i % 2 == 0)
					? Transition.removed(claims.get(i), this.now)
						.keeping(succeeded(claims.get(i), "value " + i, after(10)))
					: Transition.removed(claims.get(i), this.now))
			.toList(), this.now);
		Map<String, EndView> ends = this.store.inspector()
			.ends(claims.stream().map((claim) -> claim.job().id()).toList(), this.now);
		assertThat(ends).hasSize(500);
		IntStream.range(0, 1000)
			.filter((i) -> i % 2 == 0)
			.forEach((i) -> assertThat(Objects.requireNonNull(ends.get(claims.get(i).job().id())).value())
				.isEqualTo(("value " + i).getBytes()));
	}

	@Test
	void purgeForgetsEnds() {
		Claim claim = enqueueAndClaim("w", "q");
		settle(Transition.removed(claim, this.now).keeping(succeeded(claim, "42", after(10))));
		change(new Change.Purge());
		assertThat(end(claim.job().id())).isNull();
	}

}
