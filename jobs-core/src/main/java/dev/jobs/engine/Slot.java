package dev.jobs.engine;

import org.jspecify.annotations.Nullable;

/**
 * The place of one run in a pool. Only the thread that owns it puts runs in.
 */
final class Slot {

	private volatile @Nullable Run run;

	void occupy(Run run) {
		this.run = run;
	}

	void free() {
		this.run = null;
	}

	@Nullable Run run() {
		return this.run;
	}

}
