package dev.jobs;

/**
 * Is told what happens to jobs. It may not change anything; what it throws is logged and
 * forgotten. Called on the engine's threads, so it should be quick.
 */
@FunctionalInterface
public interface JobListener {

	/**
	 * Take note of an event.
	 * @param event the event
	 */
	void on(JobEvent event);

}
