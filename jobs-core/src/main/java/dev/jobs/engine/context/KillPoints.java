package dev.jobs.engine.context;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Steps at which a test loses the next run, as if its process had been killed there.
 */
public final class KillPoints {

	private final Set<Point> points = ConcurrentHashMap.newKeySet();

	/**
	 * Lose the next run that does a step.
	 * @param step the name of the step
	 * @param saved whether its value is saved before that
	 */
	public void add(String step, boolean saved) {
		this.points.add(new Point(step, saved));
	}

	/**
	 * Lose no run any more.
	 */
	public void clear() {
		this.points.clear();
	}

	/**
	 * Return whether to lose a run here, and forget this point.
	 */
	public boolean reach(String step, boolean saved) {
		return !this.points.isEmpty() && this.points.remove(new Point(step, saved));
	}

	private record Point(String step, boolean saved) {

	}

}
