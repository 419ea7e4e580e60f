package dev.jobs.sample;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import org.springframework.stereotype.Component;

/**
 * Listens to what happens to jobs, and remembers those that are dead.
 */
@Component
class Alarms implements JobListener {

	private static final int KEPT = 100;

	private final ConcurrentLinkedDeque<String> raised = new ConcurrentLinkedDeque<>();

	@Override
	public void on(JobEvent event) {
		if (event instanceof JobEvent.Died died) {
			this.raised.addFirst(died.name() + " is dead: " + died.error());
			while (this.raised.size() > KEPT) {
				this.raised.pollLast();
			}
		}
	}

	List<String> raised() {
		return List.copyOf(this.raised);
	}

}
