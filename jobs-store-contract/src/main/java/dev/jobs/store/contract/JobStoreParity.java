package dev.jobs.store.contract;

import java.time.Instant;
import java.util.List;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares a store with the {@link InMemoryJobStore}: the same verbs in a random order,
 * at the same times, must bring the same replies, and the same views after every few.
 * Points that the seam leaves open are not compared: the values of tokens, which jobs a
 * bounded takeover or prune picks, where ready jobs are listed among others, the time of
 * the next permit unless jobs were just given, and signals. Each claim of the store must
 * also keep the {@link ClaimRules}.
 */
public abstract class JobStoreParity {

	/** Views take most of the time. */
	private static final int VERBS_PER_LOOK = 3;

	/**
	 * Return a store of an empty namespace that no other test uses.
	 * @return the store
	 */
	protected abstract JobStore createStore();

	/**
	 * Clean up after a test.
	 * @param store a store made by {@link #createStore()}
	 */
	protected abstract void destroyStore(JobStore store);

	/**
	 * Return how many verbs each random sequence has.
	 * @return the number
	 */
	protected int steps() {
		return 500;
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2 })
	void repliesAndViewsAreThoseOfTheInMemoryStore(long seed) {
		JobStore store = createStore();
		try {
			compare(seed, new ParitySide(new InMemoryJobStore()), new ParitySide(new ClaimRules(store)));
		}
		finally {
			destroyStore(store);
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 3, 4 })
	void claimsKeepTheRulesWhateverTheRatesOfLanesBecome(long seed) {
		JobStore store = createStore();
		try {
			ParitySide side = new ParitySide(new ClaimRules(store));
			RandomVerbs verbs = new RandomVerbs(seed, true);
			for (int step = 1; step <= steps(); step++) {
				verbs.learn(verbs.next().verb().apply(side));
				if (step % VERBS_PER_LOOK == 0) {
					StoreInvariants.checkLanes(store, verbs.now());
				}
			}
		}
		finally {
			destroyStore(store);
		}
	}

	private void compare(long seed, ParitySide expected, ParitySide actual) {
		RandomVerbs verbs = new RandomVerbs(seed, false);
		for (int step = 1; step <= steps(); step++) {
			RandomVerbs.Step next = verbs.next();
			String what = "seed " + seed + ", step " + step + ": " + next.description();
			Object reply = next.verb().apply(expected);
			assertThat(next.verb().apply(actual)).as("reply to " + what).isEqualTo(reply);
			if (step % VERBS_PER_LOOK == 0) {
				look(what, verbs.now(), expected, actual);
			}
			verbs.learn(reply);
		}
	}

	private static void look(String what, Instant now, ParitySide expected, ParitySide actual) {
		List<String> views = actual.views(now);
		List<String> expectedViews = expected.views(now);
		for (int i = 0; i < Math.min(views.size(), expectedViews.size()); i++) {
			assertThat(views.get(i)).as("view after " + what).isEqualTo(expectedViews.get(i));
		}
		assertThat(views).as("views after " + what).hasSameSizeAs(expectedViews);
		StoreInvariants.checkLanes(actual.store(), now);
	}

}
