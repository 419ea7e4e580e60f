package dev.jobs.engine.enqueue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobRejectedException;
import dev.jobs.JobStoreException;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.enqueue.EnqueueWriter.Item;
import dev.jobs.store.ErrorText;
import dev.jobs.store.NewJob;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes new jobs once the transaction of their caller was committed, by the
 * {@link EnqueueWriter}. Nobody waits for the result any more, so faults go to the log
 * and the listeners.
 */
final class AfterCommitWriter implements EnqueueGate.Outlet<Item> {

	private static final Logger logger = LoggerFactory.getLogger(AfterCommitWriter.class);

	private static final int MOST_LOGGED = 20;

	private final EnqueueWriter writer;

	private final EnqueueEvents events;

	private final StoreClock clock;

	AfterCommitWriter(EnqueueWriter writer, EnqueueEvents events, StoreClock clock) {
		this.writer = writer;
		this.events = events;
		this.clock = clock;
	}

	/**
	 * Write jobs. When the store fails, what is left is given up at once, so that the
	 * thread that committed is not held up any longer.
	 */
	@Override
	public void write(List<Item> items) {
		List<Item> full = new ArrayList<>();
		int written = 0;
		for (List<Item> batch : Batches.of(items)) {
			written += batch.size();
			try {
				List<Enqueued> enqueued = this.writer.write(batch);
				for (int i = 0; i < batch.size(); i++) {
					if (enqueued.get(i).outcome() == Outcome.FULL) {
						full.add(batch.get(i));
					}
				}
			}
			catch (RuntimeException ex) {
				failed(batch, ErrorText.of(ex), ex, isInDoubt(ex));
				failed(items.subList(written, items.size()), ErrorText.of(ex), ex, false);
				break;
			}
		}
		failed(full.stream().filter(this::staysOut).toList(), "The queue is full", null, false);
	}

	/**
	 * Wait for room as the enqueue said, and report what became of it unless it is that
	 * there was none.
	 */
	private boolean staysOut(Item item) {
		try {
			Enqueued full = Enqueued.of(item.job().id(), Outcome.FULL, item.job().dueAt());
			Enqueued enqueued = this.writer.waitForRoom(item, full);
			if (enqueued.outcome() != Outcome.FULL) {
				this.events.report(item.job(), enqueued, this.clock.now());
			}
			return enqueued.outcome() == Outcome.FULL;
		}
		catch (RuntimeException ex) {
			failed(List.of(item), ErrorText.of(ex), ex, isInDoubt(ex));
			return false;
		}
	}

	private static boolean isInDoubt(RuntimeException ex) {
		return !(ex instanceof JobRejectedException) && !(ex instanceof JobStoreException fault && fault.isRefused());
	}

	@Override
	public void giveUp(List<Item> items) {
		failed(items, "It is unknown whether the transaction was committed", null, true);
	}

	private void failed(List<Item> items, String error, @Nullable Throwable cause, boolean inDoubt) {
		if (items.isEmpty()) {
			return;
		}
		logger.error("Enqueue after commit {} ({}): {}", inDoubt ? "unconfirmed" : "failed", describe(items), error);
		Instant now = this.clock.now();
		for (Item item : items) {
			NewJob job = item.job();
			this.events.failed(job, error, cause, inDoubt, now);
		}
	}

	private static String describe(List<Item> items) {
		String named = items.stream()
			.limit(MOST_LOGGED)
			.map((item) -> "'" + item.job().name() + "' " + item.job().id())
			.collect(Collectors.joining(", "));
		return (items.size() > MOST_LOGGED) ? named + " and " + (items.size() - MOST_LOGGED) + " more" : named;
	}

}
