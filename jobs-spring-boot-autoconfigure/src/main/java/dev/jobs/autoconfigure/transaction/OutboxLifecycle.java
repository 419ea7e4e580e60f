package dev.jobs.autoconfigure.transaction;

import dev.jobs.engine.JobEngine;

import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the relay of the outbox with the application context, with or without
 * a worker. It stops after everything that may still enqueue.
 */
class OutboxLifecycle implements SmartLifecycle {

	/** Below the web server and its graceful shutdown. */
	static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

	private final JobEngine engine;

	private volatile boolean running;

	OutboxLifecycle(JobEngine engine) {
		this.engine = engine;
	}

	@Override
	public void start() {
		this.running = true;
		this.engine.startRelay();
	}

	@Override
	public void stop() {
		this.engine.stopRelay();
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
