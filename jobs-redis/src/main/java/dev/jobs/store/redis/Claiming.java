package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import org.jspecify.annotations.Nullable;

/**
 * One claim. The queues of one partition are asked in one call. With several partitions
 * each first gives the shares of its queues, all at once; then, while fewer than the
 * limit are found, those that have more are asked again, one after the other. The jobs
 * come in the order of the queues, as from one partition.
 */
final class Claiming {

	private final Supplier<Round> rounds;

	private final Partitions partitions;

	private final Repair repair;

	private final ClaimRequest request;

	private final List<Claim> claims = new ArrayList<>();

	private final Map<String, Left> left = new LinkedHashMap<>();

	Claiming(Supplier<Round> rounds, Partitions partitions, Repair repair, ClaimRequest request) {
		this.rounds = rounds;
		this.partitions = partitions;
		this.repair = repair;
		this.request = request;
	}

	ClaimReply run() {
		List<Ask> all = this.request.quotas().stream().map(this::all).toList();
		Map<Integer, List<Ask>> parts = this.partitions.split(all, Ask::queue);
		if (parts.size() == 1) {
			ask(parts, this.request.limit());
		}
		else {
			claimShares();
			claimMore((quota) -> Math.min(quota.share(), quota.most()));
			claimMore(Quota::most);
		}
		return new ClaimReply(this.claims, List.copyOf(this.left.values()), null);
	}

	private Ask all(Quota quota) {
		return new Ask(quota.queue(), quota.share(), quota.most(), Math.min(quota.most(), this.request.limit()),
				quota.maxRunning());
	}

	private void claimShares() {
		List<Ask> asks = new ArrayList<>();
		int open = this.request.limit();
		for (Quota quota : this.request.quotas()) {
			int share = Math.max(Math.min(Math.min(quota.share(), quota.most()), open), 0);
			asks.add(all(quota).giving(share, share));
			open -= share;
		}
		ask(this.partitions.split(asks, Ask::queue), this.request.limit());
		sortByQuota();
	}

	private void sortByQuota() {
		Map<String, Integer> places = new HashMap<>();
		this.request.quotas().forEach((quota) -> places.put(quota.queue(), places.size()));
		this.claims.sort(Comparator.comparing((claim) -> places.getOrDefault(claim.job().name(), 0)));
	}

	/**
	 * Ask those that have more, one after the other, for what is open yet.
	 * @param most how many a queue may have given in all by then
	 */
	private void claimMore(ToIntFunction<Quota> most) {
		for (Quota quota : this.request.quotas()) {
			int open = this.request.limit() - this.claims.size();
			int rest = Math.min(most.applyAsInt(quota) - given(quota.queue()), open);
			Left known = this.left.get(quota.queue());
			if (rest > 0 && known != null && known.more()) {
				Ask ask = new Ask(quota.queue(), 0, rest, 0, quota.maxRunning());
				ask(Map.of(this.partitions.of(quota.queue()), List.of(ask)), rest);
			}
		}
	}

	private int given(String queue) {
		return (int) this.claims.stream().filter((claim) -> claim.job().name().equals(queue)).count();
	}

	/**
	 * Ask partitions at once. Of those that fail there is nothing to claim for now.
	 */
	private void ask(Map<Integer, List<Ask>> parts, int limit) {
		Round round = this.rounds.get();
		parts.forEach((partition, asks) -> round.send(partition, Script.CLAIM, arguments(asks, limit)));
		Map<Integer, Reply> replies = round.replies();
		parts.forEach((partition, asks) -> read(replies.get(partition), asks));
	}

	private Arguments arguments(List<Ask> asks, int limit) {
		Arguments arguments = Arguments.at(this.request.now())
			.add(this.partitions.count())
			.add(this.request.worker())
			.add(limit);
		for (Ask ask : asks) {
			arguments.add(ask.queue()).add(ask.share()).add(ask.most()).add(ask.promoted()).add(ask.maxRunning());
		}
		return arguments;
	}

	private void read(@Nullable Reply reply, List<Ask> asks) {
		if (reply != null) {
			this.claims.addAll(claims(reply, this.request.worker(), this.request.now()));
		}
		Reply rest = (reply != null) ? reply.list() : new Reply(List.of());
		for (Ask ask : asks) {
			boolean more = rest.hasMore() && rest.flag();
			String nextDue = rest.hasMore() ? rest.text() : "";
			this.left.put(ask.queue(), new Left(ask.queue(), more, nextDue.isEmpty() ? null : Millis.instant(nextDue)));
		}
		if (reply != null) {
			report(reply.list(), reply.list());
		}
	}

	private void report(Reply dropped, Reply faults) {
		while (dropped.hasMore()) {
			this.repair.mended("entries without a job in ready", dropped.text(), dropped.number());
		}
		while (faults.hasMore()) {
			this.repair.fault(faults.text());
		}
	}

	/**
	 * Read the token and the jobs of a reply.
	 */
	static List<Claim> claims(Reply reply, String worker, Instant now) {
		List<Claim> claims = new ArrayList<>();
		long token = reply.number();
		Reply rows = reply.list();
		while (rows.hasMore()) {
			String queue = rows.text();
			Reply ids = rows.list();
			Reply records = rows.list();
			Reply trails = rows.list();
			Reply wishes = rows.list();
			Reply told = rows.list();
			while (ids.hasMore()) {
				StoredJob stored = Formats.job(ids.text(), queue, records.bytes(),
						trails.hasMore() ? trails.bytes() : Formats.NOTHING);
				boolean cancelled = wishes.hasMore() && wishes.bytes().length > 0;
				Job.Progress progress = told.hasMore() ? Formats.progress(told.bytes()) : null;
				claims.add(new Claim(
						stored.in(JobState.RUNNING,
								Job.Run.of(worker, token, now).withProgress(progress).withCancelRequested(cancelled)),
						token));
			}
		}
		return claims;
	}

	/**
	 * What one queue is asked for in one call.
	 *
	 * @param queue the queue
	 * @param share how many it gives first
	 * @param most how many it gives at most
	 * @param promoted how many due jobs are made ready at most
	 * @param maxRunning how many of its jobs may run at once
	 */
	private record Ask(String queue, int share, int most, int promoted, int maxRunning) {

		Ask giving(int share, int most) {
			return new Ask(this.queue, share, most, this.promoted, this.maxRunning);
		}

	}

}
