package dev.jobs.store.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.function.Supplier;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.OnExpiry;
import dev.jobs.Trail;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.support.TrailBuilder;
import org.jspecify.annotations.Nullable;

/**
 * One pass that removes jobs that are too old or too many.
 */
final class Pruning {

	private final Contents contents;

	private final PruneRequest request;

	private int left;

	Pruning(Contents contents, PruneRequest request) {
		this.contents = contents;
		this.request = request;
		this.left = Math.max(request.limit(), 0);
	}

	Pruned run() {
		int dead = 0;
		int history = 0;
		int stranded = 0;
		for (Queue queue : this.contents.queues.values()) {
			dead += prune(queue.dead, this.request.deadBefore(), this.request.deadKept());
			history += prune(queue.history, this.request.historyBefore(), this.request.historyKept());
			stranded += bury(queue);
			queue.windows.values().removeIf((window) -> !window.until().isAfter(this.request.now()));
			queue.forgetGates(this.request.now());
		}
		if (this.request.schedulesBefore() != null) {
			this.contents.schedules.removeUntouchedSince(this.request.schedulesBefore());
		}
		this.left -= this.contents.ends.forget(this.request.now(), this.left);
		this.contents.statistics.forgetOld(this.request.now());
		List<Pruned.Expired> expired = expire();
		return new Pruned(dead, history, stranded, this.left == 0, expired);
	}

	private List<Pruned.Expired> expire() {
		List<Pruned.Expired> expired = new ArrayList<>();
		Instant now = this.request.now();
		while (this.left > 0 && !this.contents.expiring.isEmpty()) {
			StoredJob first = this.contents.expiring.first();
			if (Objects.requireNonNull(first.lookAt).isAfter(now)) {
				break;
			}
			this.left--;
			Job job = first.seenAt(now);
			Instant deadline = job.deadline();
			if (job.state() == JobState.RUNNING) {
				this.contents.lookAt(first, now.plus(Pruned.UNTIL_NEXT_LOOK));
			}
			else if (!job.state().isWaiting() || !job.isExpired(now)) {
				this.contents.lookAt(first, (deadline != null && deadline.isAfter(now)) ? deadline : null);
			}
			else if (job.hasBegun() || job.onExpiry() == OnExpiry.DEAD) {
				expired.add(new Pruned.Expired(job.id(), job.name(), true));
				this.contents.lookAt(first, null);
				bury(first, DeadReason.EXPIRED, Pruned.EXPIRED);
			}
			else {
				expired.add(new Pruned.Expired(job.id(), job.name(), false));
				this.contents.remove(first, now);
			}
		}
		return expired;
	}

	private int prune(NavigableSet<StoredJob> jobs, @Nullable Instant before, int kept) {
		int removed = 0;
		while (this.left > 0 && !jobs.isEmpty()) {
			StoredJob oldest = jobs.first();
			boolean tooOld = before != null && oldest.since().isBefore(before);
			boolean tooMuch = kept > 0 && jobs.size() > kept;
			if (!tooOld && !tooMuch) {
				break;
			}
			this.contents.remove(oldest, this.request.now());
			this.left--;
			removed++;
		}
		return removed;
	}

	private int bury(Queue queue) {
		Instant before = this.request.strandedBefore();
		if (before == null || this.contents.isServed(queue, this.request.now())) {
			return 0;
		}
		return bury(queue.ready::first, before) + bury(queue.lanes::first, before)
				+ bury(queue.scheduled::first, before);
	}

	private int bury(Supplier<@Nullable StoredJob> oldest, Instant before) {
		int buried = 0;
		StoredJob job = oldest.get();
		while (this.left > 0 && job != null && job.job().dueAt().isBefore(before)) {
			bury(job, DeadReason.NO_HANDLER, "No live worker handles this job");
			this.left--;
			buried++;
			job = oldest.get();
		}
		return buried;
	}

	private void bury(StoredJob job, DeadReason reason, String text) {
		Instant now = this.request.now();
		Trail.End end = Trail.End.of(reason, text, now);
		this.contents.giveUpLane(job, now);
		this.contents.end(job, JobState.DEAD, now, TrailBuilder.ended(job.job().trail(), end), now);
	}

}
