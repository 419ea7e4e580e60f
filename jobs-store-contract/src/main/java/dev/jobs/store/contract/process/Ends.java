package dev.jobs.store.contract.process;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.jobs.Trail;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.WorkerInfo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ends of jobs where many others run and wait, for tests that know what they cost.
 */
public final class Ends {

	private final JobStore store;

	private final Instant now = Instant.now();

	/**
	 * Register the worker that holds the jobs.
	 */
	public Ends(JobStore store) {
		this.store = store;
		WorkerInfo info = new WorkerInfo("host", 1, "", this.now, List.of(new WorkerInfo.Pool("p", 1, 0, List.of("q"))),
				List.of());
		store.beat(new WorkerBeat("w", Duration.ofHours(1), info, List.of(), false, this.now));
	}

	/**
	 * Enqueue twice as many jobs and claim half of them.
	 * @return those from the middle on
	 */
	public Iterator<Claim> claim(int count) {
		for (int i = 0; i < 2 * count; i += 100) {
			this.store.enqueue(IntStream.range(i, i + 100)
				.mapToObj((j) -> NewJob.of(UUID.randomUUID().toString(), "q", new byte[0], this.now))
				.toList(), this.now);
		}
		List<Claim> claims = new ArrayList<>();
		while (claims.size() < count) {
			int most = Math.min(500, count - claims.size());
			claims
				.addAll(this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", most)), most, this.now)).claims());
		}
		return claims.listIterator(count / 2);
	}

	/**
	 * End one job in each way.
	 */
	public void endInEachWay(Iterator<Claim> claims) {
		for (Transition transition : List.of(Transition.removed(claims.next(), this.now),
				Transition.kept(claims.next(), this.now, Trail.EMPTY),
				Transition.scheduled(claims.next(), this.now.plusSeconds(60), Trail.EMPTY),
				Transition.released(claims.next(), this.now, Trail.EMPTY),
				Transition.dead(claims.next(), this.now, Trail.EMPTY))) {
			assertThat(this.store.settle(List.of(transition), this.now)).containsExactly(Settled.APPLIED);
		}
	}

}
