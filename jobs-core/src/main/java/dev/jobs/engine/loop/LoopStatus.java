package dev.jobs.engine.loop;

import java.time.Duration;
import java.time.Instant;

/**
 * The status of a loop of the engine.
 *
 * @param name its name
 * @param lastSuccess when it last succeeded
 * @param faults how often it has failed since
 * @param lag how long its next success is overdue; zero while it rests
 */
public record LoopStatus(String name, Instant lastSuccess, int faults, Duration lag) {

}
