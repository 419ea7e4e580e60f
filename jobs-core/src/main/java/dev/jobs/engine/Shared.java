package dev.jobs.engine;

import dev.jobs.store.JobStore;

/**
 * What all parts of a worker know.
 *
 * @param worker the worker's id, new for every start
 * @param store the store
 * @param registry the handlers
 * @param settings the settings
 * @param clock the clock
 * @param events the listeners
 * @param tallies counts what happens to jobs
 */
record Shared(String worker, JobStore store, HandlerRegistry registry, EngineSettings settings, StoreClock clock,
		EventBus events, Tallies tallies) {

}
