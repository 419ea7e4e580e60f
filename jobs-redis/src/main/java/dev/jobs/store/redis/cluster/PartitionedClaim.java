package dev.jobs.store.redis.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.partition.ClaimCall.Demand;
import dev.jobs.store.redis.partition.PartitionStore;

/**
 * One claim. The queues of one partition are asked in one call. With several partitions,
 * all of them first give the shares of their queues at once; then, while fewer jobs than
 * the limit are found, queues that have more are asked again, one after the other. The
 * jobs come in the order of the queues, as from one partition.
 */
final class PartitionedClaim {

	private final Supplier<ScatterGather<ClaimReply>> calls;

	private final Partitions partitions;

	private final List<PartitionStore> stores;

	private final ClaimRequest request;

	private final List<Claim> claims = new ArrayList<>();

	private final Map<String, Left> left = new LinkedHashMap<>();

	PartitionedClaim(Supplier<ScatterGather<ClaimReply>> calls, Partitions partitions, List<PartitionStore> stores,
			ClaimRequest request) {
		this.calls = calls;
		this.partitions = partitions;
		this.stores = stores;
		this.request = request;
	}

	ClaimReply run() {
		List<Demand> demands = Demand.of(this.request);
		Map<Integer, List<Demand>> parts = group(demands);
		if (parts.size() == 1) {
			claim(parts, this.request.limit());
		}
		else {
			claimShares(demands);
			claimMore((quota) -> Math.min(quota.share(), quota.most()));
			claimMore(Quota::most);
		}
		return new ClaimReply(this.claims, List.copyOf(this.left.values()));
	}

	private Map<Integer, List<Demand>> group(List<Demand> demands) {
		return this.partitions.group(demands, (demand) -> demand.quota().queue());
	}

	private void claimShares(List<Demand> demands) {
		List<Demand> shares = new ArrayList<>();
		int open = this.request.limit();
		for (Demand demand : demands) {
			Quota quota = demand.quota();
			int share = Math.max(Math.min(Math.min(quota.share(), quota.most()), open), 0);
			shares.add(new Demand(quota.limitedTo(share), demand.promoted()));
			open -= share;
		}
		claim(group(shares), this.request.limit());
		sortByQuota();
	}

	private void sortByQuota() {
		Map<String, Integer> places = new HashMap<>();
		this.request.quotas().forEach((quota) -> places.put(quota.queue(), places.size()));
		this.claims.sort(Comparator.comparing((claim) -> places.getOrDefault(claim.job().name(), 0)));
	}

	/**
	 * Ask the queues that have more, one after the other, for the jobs still wanted.
	 * @param most how many a queue may give in total
	 */
	private void claimMore(ToIntFunction<Quota> most) {
		for (Quota quota : this.request.quotas()) {
			int open = this.request.limit() - this.claims.size();
			int rest = Math.min(most.applyAsInt(quota) - given(quota.queue()), open);
			Left known = this.left.get(quota.queue());
			if (rest > 0 && known != null && known.more()) {
				Quota further = quota.limitedTo(rest)
					.withShare(0)
					.withLanes(quota.maxInLane(), known.lane())
					.withTurn(quota.turn() + given(quota.queue()));
				Demand demand = new Demand(further, 0);
				boolean hadLanes = of(quota.queue()).anyMatch((claim) -> claim.job().lane() != null);
				int before = this.claims.size();
				claim(Map.of(this.partitions.of(quota.queue()).number(), List.of(demand)), rest);
				boolean gaveOne = this.claims.size() > before;
				if (hadLanes && gaveOne && this.claims.get(this.claims.size() - 1).job().lane() == null) {
					// Without lanes, as the queue may be by now, it reports the one it
					// was told.
					this.left.computeIfPresent(quota.queue(),
							(name, left) -> new Left(name, left.more(), left.nextDue(), ""));
				}
			}
		}
	}

	private int given(String queue) {
		return (int) of(queue).count();
	}

	private Stream<Claim> of(String queue) {
		return this.claims.stream().filter((claim) -> claim.job().name().equals(queue));
	}

	/**
	 * Claim in several partitions at once. A partition that fails has nothing to claim
	 * for now.
	 */
	private void claim(Map<Integer, List<Demand>> parts, int limit) {
		ScatterGather<ClaimReply> calls = this.calls.get();
		parts.forEach((partition, demands) -> calls.send(partition,
				() -> this.stores.get(partition).sendClaim(this.request.worker(), demands, limit, this.request.now())));
		Map<Integer, ClaimReply> replies = calls.gather();
		parts.forEach((partition, demands) -> {
			ClaimReply reply = replies.get(partition);
			if (reply != null) {
				this.claims.addAll(reply.claims());
				reply.queues().forEach((each) -> this.left.put(each.queue(), each));
			}
			else {
				demands.forEach((demand) -> this.left.put(demand.quota().queue(),
						new Left(demand.quota().queue(), false, null, demand.quota().after())));
			}
		});
	}

}
