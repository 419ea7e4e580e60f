package dev.jobs.engine.enqueue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobRejectedException;
import dev.jobs.JobStoreException;
import dev.jobs.engine.context.Batches;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.enqueue.EnqueueWriter.Item;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.store.NewJob;
import dev.jobs.store.support.Refusals;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes new jobs once the transaction of their caller was committed, by the
 * {@link EnqueueWriter}. Nobody waits for the result any more, so faults go to the log
 * and the listeners.
 */
record AfterCommitWriter(EnqueueWriter writer, EnqueueEvents events,
		StoreClock clock) implements EnqueueGate.Outlet<Item> {

	private static final Logger logger = LoggerFactory.getLogger(AfterCommitWriter.class);

	private static final int MOST_LOGGED = 20;

	/**
	 * Write jobs. A job that the store refuses does not affect the others. If the store
	 * is out of reach, the remaining jobs are given up at once, so that the thread that
	 * committed does not wait any longer.
	 */
	@Override
	public void write(List<Item> items) {
		Progress progress = new Progress(items);
		try {
			for (List<Item> batch : Batches.of(items)) {
				Refusals.divide(batch, progress::write, progress::refused);
			}
		}
		catch (RuntimeException ex) {
			failed(progress.tried(), ErrorText.of(ex), ex, isInDoubt(ex));
			failed(progress.left(), ErrorText.of(ex), ex, false);
		}
		failed(progress.full.stream().filter(this::staysOut).toList(), "The queue is full", null, false);
	}

	/**
	 * Wait for room as the enqueue asked, and report the result unless the queue stayed
	 * full.
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

	/**
	 * How far the writing of jobs has got, from the first to the last.
	 */
	private final class Progress {

		private final List<Item> items;

		private final List<Item> full = new ArrayList<>();

		/** How many are done. */
		private int done;

		/** How many failed in the last try. */
		private int tried;

		Progress(List<Item> items) {
			this.items = items;
		}

		void write(List<Item> part) {
			this.tried = part.size();
			List<Enqueued> enqueued = AfterCommitWriter.this.writer.write(part);
			for (int i = 0; i < part.size(); i++) {
				if (enqueued.get(i).outcome() == Outcome.FULL) {
					this.full.add(part.get(i));
				}
			}
			this.done += part.size();
		}

		void refused(Item item, RuntimeException fault) {
			failed(List.of(item), ErrorText.of(fault), fault, isInDoubt(fault));
			this.done++;
		}

		List<Item> tried() {
			return this.items.subList(this.done, this.done + this.tried);
		}

		List<Item> left() {
			return this.items.subList(this.done + this.tried, this.items.size());
		}

	}

}
