package dev.jobs.engine.context;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * What tests want of runs: to lose one at a step, as if its process had been killed
 * there, or to start a job at a step, as if those before it had been done.
 */
public final class TestPoints {

	private final Set<Kill> kills = ConcurrentHashMap.newKeySet();

	/** By the ids of jobs. */
	private final Map<String, Start> starts = new ConcurrentHashMap<>();

	/**
	 * Lose the next run that does a step.
	 * @param step the name of the step
	 * @param saved whether its value is saved before that
	 */
	public void add(String step, boolean saved) {
		this.kills.add(new Kill(step, saved));
	}

	/**
	 * Return whether to lose a run here, and forget this point.
	 */
	public boolean reach(String step, boolean saved) {
		return !this.kills.isEmpty() && this.kills.remove(new Kill(step, saved));
	}

	/**
	 * Start a job at a step.
	 * @param job its id
	 * @param step the first step that it does
	 * @param saved what it has saved before, by name
	 */
	public void start(String job, String step, Map<String, ? extends @Nullable Object> saved) {
		this.starts.put(job, new Start(step, new LinkedHashMap<>(saved)));
	}

	/**
	 * Take what a job has saved before it starts.
	 */
	public Map<String, @Nullable Object> saved(String job) {
		Start start = this.starts.get(job);
		if (start == null) {
			return Map.of();
		}
		this.starts.put(job, new Start(start.step, Map.of()));
		return start.saved;
	}

	/**
	 * Note that a job does a step.
	 * @throws IllegalStateException if it was to start at a later one
	 */
	public void doing(String job, String step) {
		Start start = this.starts.get(job);
		if (start != null && !start.step.equals(step)) {
			throw new IllegalStateException("The job was to start at step '" + start.step + "', but does '" + step
					+ "' before; give the value of that, too");
		}
		this.starts.remove(job);
	}

	/**
	 * Lose no run and start no job at a step any more.
	 */
	public void clear() {
		this.kills.clear();
		this.starts.clear();
	}

	private record Kill(String step, boolean saved) {

	}

	private record Start(String step, Map<String, @Nullable Object> saved) {

	}

}
