package dev.jobs.lab;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The outcome of a trial.
 *
 * @param topology the kind of servers
 * @param server the version of the servers
 * @param begin when it began, by the clock of the machine
 * @param duration how long it took
 * @param faults how often each fault was injected
 * @param figures what was counted
 * @param repeats why jobs ran more than once, and how many did for each reason
 * @param recoveries how long it took after each kind of fault until all went on
 * @param violations what was promised and did not hold; none if all is well
 */
record Verdict(Topology topology, String server, Instant begin, Duration duration, Map<Fault, Integer> faults,
		Map<String, Long> figures, Map<String, Long> repeats, List<Recovery> recoveries, List<String> violations) {

	boolean isClean() {
		return this.violations.isEmpty();
	}

	int faultsInAll() {
		return this.faults.values().stream().mapToInt(Integer::intValue).sum();
	}

	/**
	 * How long it took after the faults of a kind until all went on.
	 *
	 * @param fault the kind
	 * @param count how many were checked
	 * @param medianMillis the median
	 * @param longestMillis the longest time
	 */
	record Recovery(Fault fault, int count, long medianMillis, long longestMillis) {

	}

}
