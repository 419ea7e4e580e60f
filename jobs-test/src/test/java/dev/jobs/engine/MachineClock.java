package dev.jobs.engine;

import java.time.InstantSource;

/**
 * Gives an engine a clock of its machine that is wrong or jumps.
 */
public final class MachineClock {

	private MachineClock() {
	}

	/**
	 * Take a clock for that of the machine.
	 * @param builder builds the engine
	 * @param clock the clock
	 * @return the builder
	 */
	public static JobEngine.Builder set(JobEngine.Builder builder, InstantSource clock) {
		return builder.machineClock(clock);
	}

}
