package dev.jobs.engine;

import java.util.List;

/**
 * How a stop went.
 *
 * @param finished how many running jobs ended by themselves meanwhile
 * @param interrupted how many were interrupted and went back to their queues
 * @param stuck the ids of jobs whose handlers ignored their interruption; they were given
 * back and may run twice
 * @param settled whether the store has every end
 */
public record StopReport(int finished, int interrupted, List<String> stuck, boolean settled) {

}
