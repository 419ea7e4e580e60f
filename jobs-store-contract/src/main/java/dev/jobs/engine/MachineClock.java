package dev.jobs.engine;

import java.time.InstantSource;

/**
 * Gives an engine another clock for that of its machine, which the store's time corrects
 * as it does the real one. Clocks that an application chooses are never corrected.
 */
public final class MachineClock {

	private MachineClock() {
	}

	/**
	 * Set the machine's clock of an engine.
	 * @param builder the builder of the engine
	 * @param machine the clock
	 * @return the builder
	 */
	public static JobEngineBuilder set(JobEngineBuilder builder, InstantSource machine) {
		return builder.machineClock(machine);
	}

}
