package dev.jobs.store.contract.process;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import dev.jobs.JobResult;
import dev.jobs.engine.settings.HandlerDefinition;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was acknowledged, what ran and what engines of this process published.
 */
public final class Ledger implements JobListener {

	private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

	private final Map<String, Integer> runs = new ConcurrentHashMap<>();

	private final Queue<JobEvent> events = new ConcurrentLinkedQueue<>();

	@Override
	public void on(JobEvent event) {
		this.events.add(event);
	}

	/**
	 * Return a handler that notes the run and does nothing else.
	 */
	public HandlerDefinition handler(String name) {
		return HandlerDefinition.of(name, Object.class, (payload, context) -> {
			ran(context);
			return JobResult.done();
		});
	}

	public void ran(JobContext context) {
		ran(context.id());
	}

	public void ran(String id) {
		this.runs.merge(id, 1, Integer::sum);
	}

	public void acknowledge(String id) {
		this.acknowledged.add(id);
	}

	public Set<String> acknowledged() {
		return Set.copyOf(this.acknowledged);
	}

	public int runs(String id) {
		return this.runs.getOrDefault(id, 0);
	}

	/**
	 * Return the ids that ran, once each.
	 */
	public Set<String> ran() {
		return Set.copyOf(this.runs.keySet());
	}

	public Collection<Integer> counts() {
		return List.copyOf(this.runs.values());
	}

	/**
	 * Return the ids of the jobs of which some events were published, in their order.
	 */
	public List<String> reported(Class<? extends JobEvent.OfJob> type) {
		return this.events.stream().filter(type::isInstance).map((event) -> type.cast(event).job().id()).toList();
	}

	/**
	 * Wait until everything that was acknowledged has run.
	 */
	public void awaitRuns(Duration patience) {
		Awaitility.await()
			.atMost(patience)
			.pollInterval(Duration.ofMillis(20))
			.untilAsserted(() -> assertThat(unrun()).isEmpty());
	}

	private List<String> unrun() {
		return acknowledgedBut(this.runs.keySet());
	}

	/**
	 * Return the ids that were acknowledged and are not among others. Of many ids this is
	 * far faster than an assertion, which compares each with each.
	 */
	public List<String> acknowledgedBut(Set<String> others) {
		return this.acknowledged.stream().filter((id) -> !others.contains(id)).toList();
	}

}
