package dev.jobs.engine.loop;

import java.time.Duration;
import java.util.function.LongSupplier;

import dev.jobs.JobStoreException;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs the faults of a loop at a bounded rate, whatever their pattern: in each interval
 * one fault and the success that follows it. The next line counts the faults left out.
 */
final class FaultLog {

	static final Duration INTERVAL = Outages.INTERVAL;

	private final Logger logger;

	private final String loop;

	private final LongSupplier nanos;

	private @Nullable Long loggedAtNanos;

	private long unlogged;

	private boolean faultLogged;

	private volatile Outages outages = new Outages();

	FaultLog(Logger logger, String loop, LongSupplier nanos) {
		this.logger = logger;
		this.loop = loop;
		this.nanos = nanos;
	}

	/**
	 * Share the logged outages of the store with other loops.
	 */
	void share(Outages outages) {
		this.outages = outages;
	}

	/**
	 * Record a fault.
	 * @param cause what was thrown
	 * @param inARow how many faults there have been since the last success
	 */
	void failed(Throwable cause, int inARow) {
		long now = this.nanos.getAsLong();
		if (this.loggedAtNanos != null && now - this.loggedAtNanos < INTERVAL.toNanos()) {
			this.unlogged++;
			return;
		}
		if (cause instanceof JobStoreException fault && fault.isTemporary() && !this.outages.isNew(fault, now)) {
			this.unlogged++;
			this.logger.debug("Loop '{}' failed", this.loop, ErrorText.loggable(cause));
			return;
		}
		log(cause, inARow, (this.unlogged > 0) ? " (" + this.unlogged + " faults since the last such line)" : "");
		this.loggedAtNanos = now;
		this.unlogged = 0;
		this.faultLogged = true;
	}

	/**
	 * Record the first success after faults.
	 * @param inARow how many faults there were
	 */
	void succeeded(int inARow) {
		if (this.faultLogged) {
			this.faultLogged = false;
			this.logger.info("Loop '{}' works again after {} fault(s) in a row", this.loop, inARow);
		}
	}

	/**
	 * While the store is out of reach all loops fail, and their stacks would add nothing
	 * to the message.
	 */
	private void log(Throwable cause, int inARow, String more) {
		if (cause instanceof JobStoreException fault && fault.isTemporary()) {
			this.logger.warn("Loop '{}' failed {} time(s) in a row and keeps trying{}: {}", this.loop, inARow, more,
					ErrorText.of(cause));
			this.logger.debug("Loop '{}' failed", this.loop, ErrorText.loggable(cause));
		}
		else {
			this.logger.warn("Loop '{}' failed {} time(s) in a row and keeps trying{}", this.loop, inARow, more,
					ErrorText.loggable(cause));
		}
	}

}
