package dev.jobs.store.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import org.jspecify.annotations.Nullable;

/**
 * One claim. It finds first how much each queue may give, then takes the shares, then the
 * rest up to the limit.
 */
final class Claiming {

	private final Contents contents;

	private final ClaimRequest request;

	private final Instant now;

	private final List<Claim> claims = new ArrayList<>();

	/** The lane that gave jobs last, of each queue with lanes. */
	private final Map<String, String> lanes = new HashMap<>();

	/** How many jobs each queue with lanes has given. */
	private final Map<String, Integer> given = new HashMap<>();

	Claiming(Contents contents, ClaimRequest request) {
		this.contents = contents;
		this.request = request;
		this.now = request.now();
	}

	ClaimReply by(@Nullable Worker worker) {
		if (worker == null) {
			return new ClaimReply(List.of(), this.request.quotas().stream().map(Claiming::nothing).toList());
		}
		Map<Quota, Integer> open = new LinkedHashMap<>();
		this.request.quotas().forEach((quota) -> open.put(quota, promote(quota)));
		Delivery delivery = this.contents.deliveryFor(worker);
		open.replaceAll((quota, most) -> most - give(quota, Math.min(quota.share(), most), delivery));
		open.forEach((quota, most) -> give(quota, most, delivery));
		return new ClaimReply(this.claims, this.request.quotas().stream().map(this::left).toList());
	}

	/**
	 * Make due jobs ready, as many as the queue may give.
	 * @return how many were made ready
	 */
	private int promote(Quota quota) {
		Queue queue = this.contents.queues.get(quota.queue());
		if (queue == null) {
			return 0;
		}
		int most = Math.min(Math.min(quota.most(), this.request.limit()), queue.room(quota.maxRunning()));
		queue.promote(most, this.now);
		if (queue.lanes.size() > 0) {
			this.lanes.put(quota.queue(), quota.after());
		}
		return Math.max(most, 0);
	}

	private int give(Quota quota, int wanted, Delivery delivery) {
		Queue queue = this.contents.queues.get(quota.queue());
		int max = Math.min(wanted, this.request.limit() - this.claims.size());
		if (queue == null) {
			return 0;
		}
		return this.lanes.containsKey(quota.queue()) ? giveInTurn(queue, quota, max, delivery)
				: give(queue, "", max, quota.turn(), delivery);
	}

	private int give(Queue queue, String lane, int max, int turn, Delivery delivery) {
		int given = 0;
		StoredJob next = queue.first(lane, turn);
		while (given < max && next != null) {
			this.claims.add(this.contents.claim(next, delivery, this.now));
			given++;
			next = queue.first(lane, turn + given);
		}
		return given;
	}

	private int giveInTurn(Queue queue, Quota quota, int max, Delivery delivery) {
		int maxInLane = quota.maxInLane();
		int given = 0;
		while (given < max) {
			int turn = quota.turn() + this.given.getOrDefault(queue.name(), 0);
			List<String> open = queue.openLanes(this.lanes.getOrDefault(queue.name(), ""), max - given, maxInLane);
			if (open.isEmpty()) {
				break;
			}
			int each = (max - given) / open.size();
			for (String lane : open) {
				int before = this.claims.size();
				given += give(queue, lane, Math.min(each, queue.roomInLane(lane, maxInLane)), turn, delivery);
				this.claims.subList(before, this.claims.size())
					.sort(Comparator.comparing((claim) -> claim.job().urgency()));
				this.given.merge(queue.name(), this.claims.size() - before, Integer::sum);
				this.lanes.put(queue.name(), lane);
			}
		}
		return given;
	}

	private Left left(Quota quota) {
		Queue queue = this.contents.queues.get(quota.queue());
		if (queue == null) {
			return nothing(quota);
		}
		return new Left(quota.queue(), queue.hasMore(quota.maxRunning(), quota.maxInLane(), this.now),
				queue.nextDue(this.now), this.lanes.getOrDefault(quota.queue(), quota.after()));
	}

	private static Left nothing(Quota quota) {
		return new Left(quota.queue(), false, null, quota.after());
	}

}
