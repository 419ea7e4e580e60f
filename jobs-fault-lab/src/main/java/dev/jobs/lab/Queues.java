package dev.jobs.lab;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.EnqueueOptions;
import dev.jobs.HandlerOptions;
import dev.jobs.Rate;
import org.jspecify.annotations.Nullable;

/**
 * The queues of the lab. Each is there for one promise.
 */
enum Queues {

	/** Many short jobs. */
	WORK("work", 0, 15),

	/**
	 * At most {@value #FIRST_LIMIT} at once on all workers, unless the lab changes that.
	 */
	LIMITED("limited", 10, 60),

	/** One job at once for each of a few keys. */
	KEYED("keyed", 100, 800),

	/** At most {@value #LANE_LIMIT} at once in each of a few lanes. */
	LANED("laned", 20, 120),

	/** Lanes that keep their order, whose jobs fail and put themselves off first. */
	ORDERED("ordered", 0, 40),

	/** Lanes and a queue of which only so many jobs may start in any window. */
	RATED("rated", 0, 15),

	/** Jobs whose first attempts fail. */
	FLAKY("flaky", 0, 15),

	/** Jobs that are due later. */
	LATER("later", 0, 15),

	/** Jobs that take about a lease. */
	SLOW("slow", 500, 4000),

	/** Programs of steps, sleeps, cursors and waits, which remember what they did. */
	ORDERS("orders", 0, 0),

	/** Jobs of two schedules that tick every second. */
	TICKS("ticks", 5, 5);

	/** The running limit that the handlers declare. */
	static final int FIRST_LIMIT = 3;

	/** How many jobs of a lane may run at once. */
	static final int LANE_LIMIT = 2;

	/** How many jobs of the rated queue may start in any window. */
	static final Rate RATE = Rate.parse("8/2s");

	/** How many jobs of one of its lanes may start in any window. */
	static final Rate LANE_RATE = Rate.parse("3/2s");

	/** How many keys there are. */
	static final int KEYS = 8;

	/** Longer than the clock of a server is set forward, or right again. */
	private static final Duration RESULT_KEPT = Duration.ofHours(2);

	private static final int LANES = 4;

	private static final List<Queues> PRODUCED = List.of(WORK, WORK, WORK, LIMITED, LIMITED, KEYED, KEYED, LANED, LANED,
			ORDERED, ORDERED, RATED, FLAKY, LATER, SLOW, ORDERS, ORDERS, ORDERS);

	private final String title;

	private final int shortest;

	private final int longest;

	Queues(String title, int shortest, int longest) {
		this.title = title;
		this.shortest = shortest;
		this.longest = longest;
	}

	/**
	 * Return the name of the queue.
	 */
	String title() {
		return this.title;
	}

	/**
	 * Return the queue with a name.
	 */
	static Queues titled(String title) {
		return Stream.of(values())
			.filter((queue) -> queue.title.equals(title))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no queue '" + title + "'"));
	}

	/**
	 * Return one that a producer fills.
	 */
	static Queues some(RandomGenerator random) {
		return PRODUCED.get(random.nextInt(PRODUCED.size()));
	}

	/**
	 * Return a job of this queue.
	 */
	LabJob job(String ref, RandomGenerator random) {
		int millis = this.shortest + random.nextInt(this.longest - this.shortest + 1);
		String key = switch (this) {
			case KEYED -> "key-" + random.nextInt(KEYS);
			case LANED, ORDERED, RATED -> "lane-" + random.nextInt(LANES);
			default -> null;
		};
		return new LabJob(ref, millis, (this == FLAKY || this == ORDERED) ? random.nextInt(3) : 0, key);
	}

	/**
	 * Return how long a job of this queue is to wait before it is due.
	 */
	Duration delay(RandomGenerator random) {
		return (this == LATER) ? Duration.ofMillis(100 + random.nextInt(3000)) : Duration.ZERO;
	}

	/**
	 * Return how a job is enqueued.
	 */
	Consumer<EnqueueOptions.Builder> options(@Nullable String key, Duration delay) {
		return (options) -> {
			if (!delay.isZero()) {
				options.delay(delay);
			}
			if (key != null && this == KEYED) {
				options.unique(key, (rule) -> rule.untilDone());
			}
			else if (key != null) {
				options.lane(key);
			}
		};
	}

	/**
	 * Return how its jobs are run. They are never given up: what the lab asks for is that
	 * all come to their end.
	 */
	HandlerOptions options() {
		return HandlerOptions.of((options) -> options.maxConcurrency((this == LIMITED) ? FIRST_LIMIT : 0)
			.laneConcurrency((this == LANED) ? LANE_LIMIT : 0)
			.orderedLanes(this == ORDERED)
			.rate((this == RATED) ? RATE : null)
			.laneRate((this == RATED) ? LANE_RATE : null)
			.keepResult((this == ORDERS) ? RESULT_KEPT : null)
			.retry((retry) -> retry.maxAttempts(1000).maxCrashes(1000).backoff(Backoff.fixed(Duration.ofMillis(200)))));
	}

}
