package dev.jobs.autoconfigure;

import java.time.Duration;

import dev.jobs.engine.JobEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the engine with the application context. It starts after a web server
 * and stops before it, and after the containers of message listeners, so whoever enqueues
 * jobs can do so until it has ended itself.
 */
class JobEngineLifecycle implements SmartLifecycle {

	/** Above the web server's graceful shutdown, below message listeners. */
	static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

	/** What a stop may take besides the grace: handlers and the store have last words. */
	private static final Duration MARGIN = Duration.ofSeconds(8);

	private static final Logger logger = LoggerFactory.getLogger(JobEngineLifecycle.class);

	private final JobEngine engine;

	private final boolean autoStartup;

	private final Duration grace;

	private final Duration timeoutPerPhase;

	private volatile boolean stopping;

	JobEngineLifecycle(JobEngine engine, boolean autoStartup, Duration grace, Duration timeoutPerPhase) {
		this.engine = engine;
		this.autoStartup = autoStartup;
		this.grace = grace;
		this.timeoutPerPhase = timeoutPerPhase;
	}

	@Override
	public void start() {
		if (this.grace.plus(MARGIN).compareTo(this.timeoutPerPhase) > 0) {
			logger.warn("jobs.shutdown.grace is {} s, and a stop may take {} s more, but "
					+ "spring.lifecycle.timeout-per-shutdown-phase ends it after {} s. Raise the one or lower the other",
					this.grace.toSeconds(), MARGIN.toSeconds(), this.timeoutPerPhase.toSeconds());
		}
		this.engine.start();
	}

	@Override
	public void stop() {
		this.stopping = true;
		try {
			JobEngine.StopReport report = this.engine.stop(this.grace);
			logger.info("Jobs stopped: {} running job(s) finished, {} went back to their queues{}", report.finished(),
					report.interrupted(), report.stuck().isEmpty() ? "" : ", these go on: " + report.stuck());
		}
		finally {
			this.stopping = false;
		}
	}

	@Override
	public void stop(Runnable callback) {
		Runnable work = () -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		};
		new Thread(work, "jobs-stop").start();
	}

	/**
	 * Return whether the engine runs, without waiting for a stop in progress.
	 */
	@Override
	public boolean isRunning() {
		return this.stopping || this.engine.isRunning();
	}

	@Override
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
