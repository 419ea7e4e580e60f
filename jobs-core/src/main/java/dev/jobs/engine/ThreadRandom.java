package dev.jobs.engine;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * Chance for any thread, different in every process.
 */
final class ThreadRandom implements RandomGenerator {

	@Override
	public long nextLong() {
		return ThreadLocalRandom.current().nextLong();
	}

}
