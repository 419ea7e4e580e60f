package dev.jobs.engine;

import java.util.List;

import dev.jobs.engine.loop.LoopStatus;
import dev.jobs.store.view.WorkerInfo;

/**
 * The status of an engine.
 *
 * @param running whether it is started
 * @param loops its loops
 * @param busy how many jobs it runs
 * @param stuck the ids of jobs that keep running although they were asked to stop
 * @param pools its pools
 * @param refused what the store refuses although it takes others, each in a sentence
 */
public record EngineStatus(boolean running, List<LoopStatus> loops, int busy, List<String> stuck,
		List<WorkerInfo.Pool> pools, List<String> refused) {

}
