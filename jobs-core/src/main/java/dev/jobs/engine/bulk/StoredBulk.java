package dev.jobs.engine.bulk;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.jobs.BulkStatus;
import dev.jobs.BulkStatus.State;
import dev.jobs.JobCount;
import dev.jobs.UnknownNameException;
import dev.jobs.operations.BulkOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import org.jspecify.annotations.Nullable;

/**
 * A stored bulk action that operators look at, stop and resume.
 *
 * @param id its id
 * @param store returns the store
 * @param now returns the current time
 */
public record StoredBulk(String id, Supplier<JobStore> store, Supplier<Instant> now) implements BulkOperations {

	/** How many that are not under way are kept. */
	private static final int KEPT = 50;

	/** How many may be under way. */
	private static final int MOST = 20;

	private static final int LONGEST = 8000;

	private static final int COUNTED_UP_TO = 10_000;

	private static final int MOST_ATTEMPTS = 1000;

	/**
	 * Start a bulk action. The oldest of those that are kept make room for it.
	 * @param work what is done to which jobs
	 * @param by who starts it, or {@code null} if that is not known
	 */
	public static BulkStatus start(BulkWork work, JobStore store, @Nullable String by) {
		List<BulkAction> known = BulkAction.all(store.inspector()).toList();
		if (known.stream().filter((action) -> action.state() == State.RUNNING).count() >= MOST) {
			throw new IllegalStateException("There are " + MOST
					+ " bulk actions under way; wait for one of them, or stop one, before starting another");
		}
		JobCount total = store.inspector().count(work.selected(), COUNTED_UP_TO, work.begin());
		BulkAction action = BulkAction.begin(UUID.randomUUID().toString(), work, total, by);
		if (action.text().length() > LONGEST) {
			throw new IllegalArgumentException("The filter is too long for a bulk action");
		}
		List<BulkAction> ended = known.stream().filter((one) -> one.state() != State.RUNNING).toList();
		Stream<Change> old = ended.stream()
			.limit(Math.max(ended.size() - KEPT + 1, 0))
			.map((one) -> new Change.Set(BulkAction.KIND, one.id(), null, null));
		store.change(
				Stream.concat(old, Stream.of(new Change.Set(BulkAction.KIND, action.id(), action.text(), by))).toList(),
				work.begin());
		return action;
	}

	/**
	 * Return the bulk actions that are kept, the latest first.
	 */
	public static List<BulkStatus> all(JobStore store) {
		List<BulkStatus> all = new ArrayList<>(BulkAction.all(store.inspector()).toList());
		Collections.reverse(all);
		return all;
	}

	private Optional<BulkAction> find() {
		return BulkAction.all(this.store.get().inspector()).filter((action) -> action.id().equals(this.id)).findFirst();
	}

	@Override
	public Optional<BulkStatus> status() {
		return find().map((action) -> action);
	}

	@Override
	public void stop() {
		change(State.RUNNING, State.STOPPED);
	}

	@Override
	public void resume() {
		change(State.STOPPED, State.RUNNING);
	}

	/**
	 * Change the state, again if a step was stored meanwhile.
	 */
	private void change(State from, State to) {
		for (int i = 0; i < MOST_ATTEMPTS; i++) {
			BulkAction action = find()
				.orElseThrow(() -> new UnknownNameException("There is no bulk action '" + this.id + "', or no longer"));
			if (action.state() != from) {
				return;
			}
			Instant now = this.now.get();
			BulkAction next = action.in(to, action.error(), now);
			if (this.store.get().change(List.of(next.instead(action, true)), now).get(0) == Changed.DONE) {
				return;
			}
		}
		throw new IllegalStateException("Bulk action " + this.id + " changes all the time; try again");
	}

}
