package dev.jobs.benchmarks.load;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What a subject has to do.
 *
 * @param jobs how many jobs there are
 * @param queues over how many queues they are spread, each with its handler
 * @param concurrency how many run at once
 * @param others how many jobs wait beside them that no handler here runs
 * @param running how many jobs of the same queues run meanwhile on other workers
 * @param crowd what else is in the tables
 */
public record Load(int jobs, int queues, int concurrency, int others, int running, Crowd crowd) {

	public Load(int jobs, int queues, int concurrency) {
		this(jobs, queues, concurrency, 0, 0, Crowd.NONE);
	}

	public Load with(Crowd crowd) {
		return new Load(this.jobs, this.queues, this.concurrency, this.others, this.running, crowd);
	}

	/**
	 * Return the names of the queues.
	 * @return the names
	 */
	public List<String> names() {
		return IntStream.range(0, this.queues).mapToObj((number) -> "queue-" + number).toList();
	}

}
