package dev.jobs.dashboard.view;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import dev.jobs.QueueStatus;
import org.jspecify.annotations.Nullable;

/**
 * The order of queues: those in trouble first, then those that a worker serves, then by
 * how many jobs wait. The page itself sorts in the same way if there are few.
 */
final class QueueOrder {

	private static final Duration LONG_WAIT = Duration.ofMinutes(5);

	private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

	private QueueOrder() {
	}

	/**
	 * Return an order of queues.
	 * @param sort the column to sort by, with a minus to reverse it, or {@code null}
	 */
	static Comparator<QueueStatus> of(@Nullable String sort, Instant now) {
		Map<String, String> natural = new HashMap<>();
		Comparator<QueueStatus> byName = Comparator
			.comparing((QueueStatus queue) -> natural.computeIfAbsent(queue.name(), QueueOrder::natural))
			.thenComparing(QueueStatus::name);
		if (sort == null) {
			return Comparator.comparing((QueueStatus queue) -> !isTrouble(queue, now))
				.thenComparing((queue) -> !queue.served())
				.thenComparing((queue) -> -queue.waiting())
				.thenComparing(byName);
		}
		boolean reversed = sort.startsWith("-");
		Comparator<QueueStatus> order = switch (reversed ? sort.substring(1) : sort) {
			case "ready" -> Comparator.comparingLong((queue) -> -queue.ready());
			case "oldestReady" ->
				Comparator.comparing((queue) -> Objects.requireNonNullElse(queue.oldestReady(), Instant.MAX));
			case "scheduled" -> Comparator.comparingLong((queue) -> queue.retrying() - queue.scheduled());
			case "retrying" -> Comparator.comparingLong((queue) -> -queue.retrying());
			case "parked" -> Comparator.comparingLong((queue) -> -queue.parked());
			case "running" -> Comparator.comparingLong((queue) -> -queue.running());
			case "dead" -> Comparator.comparingLong((queue) -> -queue.dead());
			default -> byName;
		};
		return (reversed ? order.reversed() : order).thenComparing(byName);
	}

	/**
	 * Return a predicate that selects queues.
	 * @param only {@code dead}, {@code paused}, {@code unserved} or {@code null} for all
	 */
	static Predicate<QueueStatus> only(@Nullable String only) {
		return (queue) -> switch ((only != null) ? only : "") {
			case "dead" -> queue.dead() > 0;
			case "paused" -> queue.paused();
			case "unserved" -> !queue.served();
			default -> true;
		};
	}

	static boolean isLate(QueueStatus queue, Instant now) {
		Instant oldest = queue.oldestReady();
		return oldest != null && Duration.between(oldest, now).compareTo(LONG_WAIT) > 0;
	}

	private static boolean isTrouble(QueueStatus queue, Instant now) {
		return queue.dead() > 0 || (queue.waiting() > 0 && !queue.served()) || (queue.ready() > 0 && queue.paused())
				|| isLate(queue, now);
	}

	/**
	 * Return a name with its numbers padded to one length, so that 2 comes before 10.
	 */
	private static String natural(String name) {
		return NUMBER.matcher(name).replaceAll((number) -> "0".repeat(18 - number.group().length()) + number.group());
	}

}
