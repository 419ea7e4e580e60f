package dev.jobs.engine.enqueue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobRequest;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues the jobs of schedules: through the {@link EnqueueChain}, and together with
 * their ticks into the store, which takes a tick from one process only.
 */
public record TickWriter(JobStore store, NewJobs newJobs, EnqueueChain chain, EnqueueWriter writer,
		EnqueueEvents events) {

	private static final Logger logger = LoggerFactory.getLogger(TickWriter.class);

	/** The header with the name of the schedule that enqueued a job. */
	public static final String SCHEDULE_HEADER = "jobs.schedule";

	/** The header with the tick for which a schedule enqueued a job. */
	public static final String TICK_HEADER = "jobs.tick";

	/** How many ticks one call of the store takes. */
	private static final int MOST_AT_ONCE = 1000;

	/** How many bytes the payloads of a call have, unless one alone has more. */
	private static final int MOST_BYTES = 1_000_000;

	/**
	 * Enqueue the jobs of ticks that no other process has claimed. If an interceptor
	 * stops a job, its tick is over for this process, though the store does not learn of
	 * it.
	 * @param offers the ticks, each of which gets its reply
	 * @param now the time
	 */
	public void fire(List<Offer> offers, Instant now) {
		this.writer.requireOpen();
		Map<String, Offer> byHeaders = new HashMap<>();
		offers.forEach((offer) -> byHeaders.put(headers(offer.request), offer));
		this.chain.pass(offers.stream().map((offer) -> offer.request).toList(), (requests) -> {
			List<Enqueued> enqueued = new ArrayList<>();
			Set<String> locked = new HashSet<>();
			int to = 0;
			while (to < requests.size()) {
				int from = to;
				to = end(requests, from);
				List<JobRequest> some = requests.subList(from, to);
				List<Offer> theirs = some.stream()
					.map((request) -> (offers.size() > 1) ? byHeaders.get(headers(request)) : offers.get(0))
					.toList();
				enqueued.addAll(write(some, theirs, locked, now));
			}
			return enqueued;
		});
		offers.stream().filter((offer) -> offer.reply == null).forEach((offer) -> {
			offer.reply = new TickReply(null, offer.tick.instant());
			offer.stopped = true;
		});
	}

	/** Return where the ticks end that one call takes. */
	private static int end(List<JobRequest> requests, int from) {
		int end = from;
		int room = MOST_BYTES;
		do {
			room -= (requests.get(end).getPayload() instanceof byte[] payload) ? payload.length : 0;
			end++;
		}
		while (end < requests.size() && end < from + MOST_AT_ONCE && room > 0);
		return end;
	}

	/** Interceptors may change requests, leave some out and put them in any order. */
	private static String headers(JobRequest request) {
		Map<String, String> headers = request.getOptions().getHeaders();
		return headers.get(SCHEDULE_HEADER) + " " + headers.get(TICK_HEADER);
	}

	/**
	 * Fire ticks, except those of schedules that were locked in an earlier call: none
	 * must pass an earlier one.
	 */
	private List<Enqueued> write(List<JobRequest> requests, List<@Nullable Offer> offers, Set<String> locked,
			Instant now) {
		List<NewJob> jobs = new ArrayList<>();
		List<Tick> ticks = new ArrayList<>();
		for (int i = 0; i < requests.size(); i++) {
			Offer offer = offers.get(i);
			if (offer == null) {
				throw new IllegalStateException("An EnqueueInterceptor changed the header '" + SCHEDULE_HEADER
						+ "' or '" + TICK_HEADER + "' of the job of a schedule");
			}
			jobs.add(this.newJobs.make(requests.get(i), offer.tick, now));
			ticks.add(offer.tick.with(jobs.get(i)));
		}
		Set<String> before = Set.copyOf(locked);
		List<Tick> free = ticks.stream().filter((tick) -> !before.contains(tick.schedule().name())).toList();
		Iterator<TickReply> replies = (free.isEmpty() ? List.<TickReply>of() : this.store.fireTicks(free, now))
			.iterator();
		List<Enqueued> enqueued = new ArrayList<>();
		for (int i = 0; i < ticks.size(); i++) {
			String name = ticks.get(i).schedule().name();
			TickReply reply = before.contains(name) ? TickReply.LOCKED : replies.next();
			enqueued.add(replied(Objects.requireNonNull(offers.get(i)), jobs.get(i), reply, now));
			if (reply.equals(TickReply.LOCKED)) {
				locked.add(name);
			}
		}
		return enqueued;
	}

	private Enqueued replied(Offer offer, NewJob job, TickReply reply, Instant now) {
		offer.reply = reply;
		Enqueued enqueued = reply.enqueued();
		if (enqueued == null || (reply.repeated() && !offer.again)) {
			return Enqueued.of(job.id(), Outcome.DUPLICATE, offer.tick.instant());
		}
		logger.debug("Schedule '{}' fired for {}: {}", offer.tick.schedule().name(), offer.tick.instant(), enqueued);
		if (enqueued.isNew()) {
			this.events.ticked(offer.tick, job, enqueued, now);
		}
		return enqueued;
	}

	/**
	 * Return whether enqueues are refused.
	 */
	public boolean isClosed() {
		return this.writer.isClosed();
	}

	/**
	 * A tick that is offered to the store.
	 */
	public static final class Offer {

		private final Tick tick;

		private final JobRequest request;

		private final boolean again;

		private @Nullable TickReply reply;

		private boolean stopped;

		/**
		 * Create an offer.
		 * @param tick the tick, without its job
		 * @param request the job
		 * @param again whether this process has offered the tick before without a reply
		 */
		public Offer(Tick tick, JobRequest request, boolean again) {
			this.tick = tick;
			this.request = request;
			this.again = again;
		}

		public Tick tick() {
			return this.tick;
		}

		/**
		 * Return whether an interceptor stopped the job, so that the store does not know
		 * the tick.
		 */
		public boolean isStopped() {
			return this.stopped;
		}

		/**
		 * Return whether the tick is to be offered again in a moment.
		 */
		public boolean isLocked() {
			return TickReply.LOCKED.equals(this.reply);
		}

		/**
		 * Return the latest tick of the schedule, this one included.
		 * @return the instant, or {@code null} if the store has not replied it
		 */
		public @Nullable Instant latest() {
			Instant latest = (this.reply != null) ? this.reply.latest() : null;
			return (latest != null && latest.isBefore(this.tick.instant())) ? this.tick.instant() : latest;
		}

	}

}
