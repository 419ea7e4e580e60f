package dev.jobs.store.jdbc.postgres.mark;

import java.util.concurrent.atomic.AtomicLong;

import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.util.StopWatch;

/**
 * Checks now and then whether rows that seem gone really are, so rarely that it takes a
 * hundredth of the time.
 */
public final class MarkCheck {

	private static final Logger logger = LoggerFactory.getLogger(MarkCheck.class);

	private static final long REST = 60_000;

	private static final long LONGEST_REST = 20 * REST;

	private final LowWaterMarks marks;

	private final LiveDeliveries deliveries;

	private final AtomicLong next = new AtomicLong();

	public MarkCheck(LowWaterMarks marks, LiveDeliveries deliveries) {
		this.marks = marks;
		this.deliveries = deliveries;
	}

	/**
	 * Check if it is time. This may take seconds.
	 */
	public void run(Statements statements, long now) {
		long due = this.next.get();
		if ((now < due && due - now <= LONGEST_REST) || !this.next.compareAndSet(due, now + REST)) {
			return;
		}
		StopWatch watch = new StopWatch();
		watch.start();
		double part = 1;
		try {
			part = this.marks.check(statements);
			this.deliveries.check(statements);
		}
		catch (DataAccessException ex) {
			logger.debug("Could not check what is believed to be gone", ErrorText.loggable(ex));
		}
		watch.stop();
		long rest = Math.max((long) (REST * part), watch.getTotalTimeMillis() * 100);
		this.next.set(now + Math.min(rest, LONGEST_REST));
	}

}
