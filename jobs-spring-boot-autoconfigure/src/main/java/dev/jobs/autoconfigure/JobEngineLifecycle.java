package dev.jobs.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import dev.jobs.engine.JobEngine;
import dev.jobs.engine.StopReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * Starts and stops the engine with the application context. It starts after a web server
 * and stops before it, and stops after the containers of message listeners, so these can
 * enqueue jobs until they have ended. In between it keeps the process up, which the
 * engine's threads do not.
 */
class JobEngineLifecycle implements SmartLifecycle, DisposableBean {

	/** Above the web server's graceful shutdown, below message listeners. */
	static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

	/**
	 * How long a stop may take besides the grace period, for the last calls of handlers
	 * and the store.
	 */
	private static final Duration MARGIN = Duration.ofSeconds(8);

	private static final Logger logger = LoggerFactory.getLogger(JobEngineLifecycle.class);

	private final JobEngine engine;

	private final boolean autoStartup;

	private final Duration grace;

	private final Duration timeoutPerPhase;

	private final boolean keepAlive;

	private @Nullable Thread keeper;

	private volatile boolean stopping;

	JobEngineLifecycle(JobEngine engine, boolean autoStartup, Duration grace, Duration timeoutPerPhase,
			boolean keepAlive) {
		this.engine = engine;
		this.keepAlive = keepAlive;
		this.autoStartup = autoStartup;
		this.grace = grace;
		this.timeoutPerPhase = timeoutPerPhase;
	}

	/**
	 * Return whether the context belongs to a {@code @SpringBootTest} or a slice, and so
	 * stays in a cache until the process ends. Spring adds this property source to
	 * contexts of tests with properties of their own, as all of Spring Boot's have.
	 */
	static boolean isInTest(Environment environment) {
		return environment instanceof ConfigurableEnvironment configurable
				&& configurable.getPropertySources().contains("Inlined Test Properties");
	}

	@Override
	public void start() {
		if (this.grace.plus(MARGIN).compareTo(this.timeoutPerPhase) > 0) {
			logger.warn("jobs.shutdown.grace is {} s, and a stop may take {} s more, but "
					+ "spring.lifecycle.timeout-per-shutdown-phase ends it after {} s. Increase the timeout or shorten the grace period",
					this.grace.toSeconds(), MARGIN.toSeconds(), this.timeoutPerPhase.toSeconds());
		}
		this.engine.start();
		keepAlive();
	}

	private synchronized void keepAlive() {
		if (this.keepAlive && this.keeper == null) {
			Thread keeper = new Thread(JobEngineLifecycle::awaitInterruption, "jobs-keep-alive");
			keeper.setDaemon(false);
			keeper.start();
			this.keeper = keeper;
		}
	}

	private static void awaitInterruption() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			// The interruption ends this thread.
		}
	}

	private synchronized void letEnd() {
		if (this.keeper != null) {
			this.keeper.interrupt();
			this.keeper = null;
		}
	}

	@Override
	public void stop() {
		this.stopping = true;
		int busy = this.engine.status().busy();
		if (busy > 0 && !this.grace.isZero()) {
			logger.info("Jobs stop: {} running job(s) have up to {} s to end, and no other starts", busy,
					this.grace.toSeconds());
		}
		try {
			StopReport report = this.engine.stop(this.grace);
			// A job may end after it was announced and before the engine counts.
			int finished = Math.max(report.finished(), busy - report.interrupted() - report.stuck().size());
			logger.info("Jobs stopped: {} running job(s) finished, {} returned to their queues{}", finished,
					report.interrupted(),
					report.stuck().isEmpty() ? "" : ", these are still running: " + report.stuck());
		}
		finally {
			this.stopping = false;
			letEnd();
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

	/** The context does not stop an engine that was stopped before. */
	@Override
	public void destroy() {
		letEnd();
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
