package dev.jobs.store.redis.partition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Rate;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.TakeOver;
import dev.jobs.store.redis.format.FieldWriter;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.format.Formats.StoredJob;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.view.WorkerJson;
import org.jspecify.annotations.Nullable;

/**
 * Writes the arguments of claims and takeovers, and reads their replies.
 */
public final class ClaimCall {

	private ClaimCall() {
	}

	static Arguments claim(Arguments arguments, String worker, List<Demand> demands, int limit) {
		arguments.add(worker).add(limit);
		for (Demand demand : demands) {
			Quota quota = demand.quota();
			arguments.add(quota.queue())
				.add(quota.share())
				.add(quota.most())
				.add(demand.promoted())
				.add(quota.maxRunning())
				.add(quota.maxInLane())
				.add(quota.after())
				.add(quota.turn())
				.add(weights(quota.laneWeights()))
				.add((quota.rates() != null) ? text(quota.rates()) : "");
		}
		return arguments;
	}

	private static byte[] weights(Map<String, Integer> weights) {
		if (weights.isEmpty()) {
			return Formats.NOTHING;
		}
		FieldWriter written = new FieldWriter().add(weights.size());
		weights.forEach((lane, weight) -> written.add(lane).add(weight));
		return written.toBytes();
	}

	private static String text(Rates rates) {
		return numbers(rates.ofQueue()) + numbers(rates.ofLane()) + rates.patience().toMillis();
	}

	private static String numbers(@Nullable Rate rate) {
		return (rate != null) ? rate.getStarts() + " " + rate.getWindow().toMillis() + " " + rate.getBurst() + " "
				: "0 0 0 ";
	}

	/**
	 * Read the reply of a claim, and report inconsistencies that the script found.
	 */
	static ClaimReply read(Reply reply, String worker, List<Demand> demands, Instant now, Repair repair) {
		List<Claim> claims = claims(reply, worker, now);
		Reply rest = reply.list();
		List<Left> left = new ArrayList<>();
		for (Demand demand : demands) {
			Quota quota = demand.quota();
			left.add(rest.hasMore() ? new Left(quota.queue(), rest.flag(), rest.optionalInstant(), rest.text())
					: new Left(quota.queue(), false, null, quota.after()));
		}
		Reply dropped = reply.list();
		while (dropped.hasMore()) {
			repair.repaired("entries without a job in ready", dropped.text(), dropped.number());
		}
		Reply faults = reply.list();
		while (faults.hasMore()) {
			repair.fault(faults.text());
		}
		return new ClaimReply(claims, left);
	}

	/**
	 * Write a takeover.
	 * @param arguments its first arguments, as for a claim
	 * @param request the takeover
	 * @param serverTime the time of the server; {@code null} to use the one that is asked
	 */
	static Arguments takeOver(Arguments arguments, TakeOver request, @Nullable Instant serverTime) {
		arguments.add(request.worker()).add(request.limit()).add(serverTime).add(request.strays().size());
		request.strays().keySet().forEach(arguments::add);
		Set<String> staying = request.staying();
		arguments.add(staying.size());
		staying.forEach(arguments::add);
		request.queues().forEach(arguments::add);
		return arguments;
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
			Reply cancellations = rows.list();
			Reply progresses = rows.list();
			while (ids.hasMore()) {
				StoredJob stored = Formats.job(ids.text(), queue, records.bytes(),
						trails.hasMore() ? trails.bytes() : Formats.NOTHING);
				boolean cancelled = cancellations.hasMore() && cancellations.bytes().length > 0;
				Job.Progress progress = progresses.hasMore() ? WorkerJson.progress(progresses.text()) : null;
				claims.add(new Claim(
						stored.in(JobState.RUNNING,
								Job.Run.of(worker, token, now).withProgress(progress).withCancelRequested(cancelled)),
						token));
			}
		}
		return claims;
	}

	/**
	 * A call's demand on one queue.
	 *
	 * @param quota what the queue may give
	 * @param promoted the most due jobs to make ready
	 */
	public record Demand(Quota quota, int promoted) {

		/**
		 * Return a request's demands on its queues.
		 */
		public static List<Demand> of(ClaimRequest request) {
			return request.quotas()
				.stream()
				.map((quota) -> new Demand(quota, Math.min(quota.most(), request.limit())))
				.toList();
		}

	}

}
