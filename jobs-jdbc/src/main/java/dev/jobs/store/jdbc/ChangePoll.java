package dev.jobs.store.jdbc;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.jobs.store.jdbc.signal.Signal;
import dev.jobs.store.jdbc.signal.SignalChannel;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds settings and schedules that other processes change, where no signals of them
 * arrive. While there are listeners, it selects two numbers by an index now and then.
 */
final class ChangePoll implements SignalChannel {

	private static final Logger logger = LoggerFactory.getLogger(ChangePoll.class);

	private static final Duration INTERVAL = Duration.ofMillis(700);

	private final BooleanSupplier isNeeded;

	private final Supplier<? extends Session> session;

	private final Consumer<Collection<Signal>> receiver;

	private @Nullable ScheduledExecutorService thread;

	/** The revision of the settings, and when the first tick is due. */
	private List<Long> known = List.of(-1L, 0L);

	ChangePoll(BooleanSupplier isNeeded, Supplier<? extends Session> session, Consumer<Collection<Signal>> receiver) {
		this.isNeeded = isNeeded;
		this.session = session;
		this.receiver = receiver;
	}

	@Override
	public synchronized void open() {
		if (this.thread == null) {
			this.thread = Executors.newSingleThreadScheduledExecutor((task) -> {
				Thread created = new Thread(task, "jobs-change-poll");
				created.setDaemon(true);
				return created;
			});
			this.thread.scheduleWithFixedDelay(this::look, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void look() {
		try {
			if (!this.isNeeded.getAsBoolean()) {
				close();
				return;
			}
			List<Long> found = this.session.get()
				.read((statements) -> List.of(statements.number("select revision from {setting} where id = ''"),
						statements.number("select min(next_at) from {schedule}")));
			if (!found.get(0).equals(this.known.get(0))) {
				this.receiver.accept(List.of(Signal.of(Signal.Kind.SET, "")));
			}
			if (found.get(1) > 0 && !found.get(1).equals(this.known.get(1))) {
				this.receiver.accept(List.of(Signal.ticks("", found.get(1))));
			}
			this.known = found;
		}
		catch (RuntimeException ex) {
			logger.debug("Could not look for changes of other processes: {}", ErrorText.of(ex));
		}
	}

	@Override
	public void send(Collection<Signal> signals) {
		// Others look for themselves.
	}

	@Override
	public synchronized void close() {
		if (this.thread != null) {
			this.thread.shutdown();
			this.thread = null;
		}
	}

	@Override
	public void end() {
		close();
	}

}
