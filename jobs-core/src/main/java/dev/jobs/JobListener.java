package dev.jobs;

/**
 * Gets an event for each thing that happens to jobs. It cannot change anything; its
 * exceptions are logged and ignored. It is called on the engine's threads, so it should
 * be quick. <pre class="code">{@code
 * JobListener listener = (event) -> lines.add(event.at() + " " + event.name());
 * }</pre>
 */
@FunctionalInterface
public interface JobListener {

	/**
	 * Handle an event.
	 */
	void on(JobEvent event);

}
