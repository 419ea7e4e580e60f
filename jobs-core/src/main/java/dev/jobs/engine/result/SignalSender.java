package dev.jobs.engine.result;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobState;
import dev.jobs.Signal;
import dev.jobs.Signal.Sent;
import dev.jobs.Trail;
import dev.jobs.engine.enqueue.CallersStore;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.End;
import dev.jobs.store.JobStore;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends signals: the first one about a subject is kept, and then those who wait for it
 * are released. In a transaction that the store is part of it is kept with the commit,
 * with another store after it; in both cases the others are released after it.
 *
 * @param callers the store as the caller sees it
 * @param serializer writes values
 */
public record SignalSender(CallersStore callers,
		PayloadSerializer serializer) implements EnqueueGate.Outlet<Change.KeepEnd> {

	private static final Logger logger = LoggerFactory.getLogger(SignalSender.class);

	private static final Duration KEPT = Duration.ofDays(JobClient.SIGNALS_KEPT_DAYS);

	/**
	 * Send a signal about a subject.
	 */
	public <T> Sent send(Signal<T> signal, Object subject, T value) {
		return send(signal.about(subject), value);
	}

	/**
	 * Send a signal.
	 * @param about its name and its subject
	 */
	public Sent send(String about, @Nullable Object value) {
		byte[] written = this.serializer.write(value, JobEnd.LARGEST_VALUE);
		Instant until = this.callers.now().plus(KEPT);
		Change.KeepEnd keep = new Change.KeepEnd(Waits.SIGNAL + about,
				new End(JobState.SUCCEEDED, Trail.EMPTY, written, until));
		if (!this.callers.gate().inTransaction()) {
			return send(keep, this.callers.store());
		}
		JobStore joined = this.callers.joined().orElse(null);
		if (joined != null && joined.change(List.of(keep), this.callers.now()).get(0) == Changed.REFUSED) {
			return Sent.ALREADY;
		}
		this.callers.gate().hold(List.of(keep), this);
		return (joined != null) ? Sent.SENT : Sent.DEFERRED;
	}

	/**
	 * Keep a signal and release those who wait for it in one call, so that they start
	 * sooner. In SQL a job may be parked in between, which the second release finds. The
	 * sender of an earlier signal may have died before it released anyone.
	 */
	private Sent send(Change.KeepEnd keep, JobStore store) {
		Changed kept = store.change(List.of(keep, new Change.Release(keep.thing())), this.callers.now()).get(0);
		Waits.release(List.of(keep.thing()), store, this.callers.now());
		return (kept == Changed.REFUSED) ? Sent.ALREADY : Sent.SENT;
	}

	@Override
	public void write(List<Change.KeepEnd> signals) {
		for (Change.KeepEnd keep : signals) {
			try {
				send(keep, this.callers.store());
			}
			catch (RuntimeException ex) {
				logger.error("The signal {} was not sent, or did not reach those who wait for it, after the commit; "
						+ "send it again", keep.thing(), ErrorText.loggable(ex));
			}
		}
	}

	@Override
	public void giveUp(List<Change.KeepEnd> signals) {
		signals.forEach((keep) -> logger.error(
				"It is unknown whether the transaction was committed that sent the signal {}; send it again",
				keep.thing()));
	}

}
