package dev.jobs.store.view;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.DoublePredicate;
import java.util.function.DoubleUnaryOperator;

import dev.jobs.Rate;
import dev.jobs.store.support.Gate;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.WantedWorkersView.Brakes;
import org.jspecify.annotations.Nullable;

/**
 * Workers whose number follows {@link WantedWorkersView}, and jobs that arrive and run,
 * all of it simulated. A scaler reads the figure every 15 seconds and does what it says,
 * without any patience of its own: a worker takes a minute to start, and one that is
 * removed gives back at once what it runs.
 */
final class Fleet {

	static final Duration TARGET = Duration.ofSeconds(30);

	static final int START_UP = 60;

	static final int READING = 15;

	static final int PATIENCE = 300;

	private static final Instant START = Instant.parse("2026-03-02T00:00:00Z");

	private final Random random = new Random(7);

	private final int each;

	private final List<Queue> queues = new ArrayList<>();

	private final PriorityQueue<Run> runs = new PriorityQueue<>(Comparator.comparingDouble(Run::end));

	/** What was read in the last minutes. */
	private final Deque<Integer> figures = new ArrayDeque<>();

	/** When workers come up that have been asked for. */
	private final Deque<Integer> starting = new ArrayDeque<>();

	private final List<Integer> numbers = new ArrayList<>();

	private int workers = 1;

	private int next;

	Fleet(int each) {
		this.each = each;
	}

	/**
	 * Add a queue.
	 * @param arrivals how many jobs arrive in a second
	 * @param run how long one runs, in seconds
	 */
	Queue queue(DoubleUnaryOperator arrivals, double run) {
		Queue queue = new Queue("queue-" + this.queues.size(), arrivals, run);
		this.queues.add(queue);
		return queue;
	}

	/**
	 * Let so much time pass.
	 */
	Fleet run(Duration time) {
		for (int second = 0; second < time.toSeconds(); second++) {
			while (!this.starting.isEmpty() && this.starting.getFirst() <= second) {
				this.starting.removeFirst();
				this.workers++;
			}
			if (second % READING == 0) {
				scale(second);
			}
			for (Queue queue : this.queues) {
				queue.arrive(second);
				if (second == queue.heldFrom) {
					queue.gate.holdUntil(millis(queue.heldUntil));
				}
			}
			work(second, second + 1);
		}
		return this;
	}

	private void work(double from, double to) {
		double now = from;
		while (now < to) {
			Run first = this.runs.peek();
			while (first != null && first.end() <= now) {
				this.runs.remove();
				first.queue().running--;
				count(first.queue(), first.end(), 4 + DurationHistogram.SIZE, first.queue().run);
				first = this.runs.peek();
			}
			for (Queue queue = startable(now); queue != null; queue = startable(now)) {
				double due = queue.due.removeFirst();
				queue.start(now, now - due);
				count(queue, now, 4, now - due);
				this.runs.add(new Run(queue, due, now, now + queue.run));
			}
			double later = to;
			for (Queue queue : this.queues) {
				if (!queue.due.isEmpty() && queue.due.getFirst() > now) {
					later = Math.min(later, queue.due.getFirst());
				}
				if (queue.gate.opensAt() > millis(now)) {
					later = Math.min(later, queue.gate.opensAt() / 1000.0);
				}
			}
			now = this.runs.isEmpty() ? later : Math.min(later, this.runs.element().end());
		}
	}

	/**
	 * Return a queue that may start a job, in turns.
	 */
	private Queue startable(double now) {
		if (this.runs.size() >= this.workers * this.each) {
			return null;
		}
		for (int i = 0; i < this.queues.size(); i++) {
			Queue queue = this.queues.get(this.next++ % this.queues.size());
			if (!queue.due.isEmpty() && queue.due.getFirst() <= now && !queue.paused.test(now)
					&& queue.running < queue.most(this.workers)
					&& queue.gate.room(queue.rate, Duration.ZERO, millis(now)) > 0) {
				return queue;
			}
		}
		return null;
	}

	private void count(Queue queue, double at, int cell, double seconds) {
		queue.minutes.computeIfAbsent((int) at / 60, (minute) -> new long[Tally.CELLS])[cell
				+ DurationHistogram.bucketOf(Duration.ofMillis((long) (seconds * 1000)))]++;
	}

	/**
	 * Return what happened in each minute that is not too long ago.
	 */
	private List<Tally> history(int second) {
		List<Tally> history = new ArrayList<>();
		for (Queue queue : this.queues) {
			queue.minutes.headMap(second / 60 - 15).clear();
			queue.minutes.forEach((minute, cells) -> history
				.add(Tally.of(queue.name, START.plus(Duration.ofMinutes(minute)), cells)));
		}
		return history;
	}

	private void scale(int second) {
		this.figures.addLast(
				WantedWorkersView
					.of(this.queues.stream().map((queue) -> queue.view(second)).toList(), views(), history(second),
							(name) -> brakes(name, second), (pool) -> TARGET, instant(second))
					.get(0)
					.workers());
		if (this.figures.size() > PATIENCE / READING) {
			this.figures.removeFirst();
		}
		int kept = Math.min(this.workers + this.starting.size(), Collections.max(this.figures));
		int wanted = Math.max(Math.max(this.figures.getLast(), kept), 1);
		this.numbers.add(wanted);
		while (this.workers + this.starting.size() < wanted) {
			this.starting.addLast(second + START_UP);
		}
		while (this.workers + this.starting.size() > wanted && !this.starting.isEmpty()) {
			this.starting.removeLast();
		}
		this.workers = Math.min(this.workers, wanted);
		List<Run> lost = this.runs.stream()
			.sorted(Comparator.comparingDouble(Run::start).reversed())
			.limit(Math.max(this.runs.size() - this.workers * this.each, 0))
			.toList();
		lost.forEach((run) -> {
			this.runs.remove(run);
			run.queue().running--;
			run.queue().interrupted++;
			run.queue().due.addFirst(run.due());
		});
	}

	private Brakes brakes(String name, int second) {
		Gate gate = this.queues.stream().filter((queue) -> queue.name.equals(name)).findFirst().orElseThrow().gate;
		return new Brakes((gate.opensAt() > millis(second)) ? instant(gate.opensAt() / 1000.0) : null, false);
	}

	private List<WorkerView> views() {
		List<String> names = this.queues.stream().map((queue) -> queue.name).toList();
		List<WorkerInfo.Limit> limits = this.queues.stream()
			.map((queue) -> new WorkerInfo.Limit(queue.name, queue.everywhere, queue.here, 0,
					(queue.rate != null) ? queue.rate.toText() : "", false))
			.toList();
		List<WorkerView> views = new ArrayList<>();
		for (int i = 0; i < this.workers; i++) {
			WorkerInfo.Pool pool = new WorkerInfo.Pool("default", this.each, this.each, names);
			views.add(new WorkerView("worker-" + i, new WorkerInfo("host", i, "", START, List.of(pool), limits), START,
					START, 0));
		}
		return views;
	}

	/**
	 * Return how many workers were wanted at each reading.
	 */
	List<Integer> numbers() {
		return this.numbers;
	}

	/**
	 * Return how often the number of workers went up after it had gone down, or down
	 * after it had gone up.
	 */
	int turns() {
		int turns = 0;
		int direction = 0;
		for (int i = 1; i < this.numbers.size(); i++) {
			int step = Integer.signum(this.numbers.get(i) - this.numbers.get(i - 1));
			turns += (step != 0 && step == -direction) ? 1 : 0;
			direction = (step != 0) ? step : direction;
		}
		return turns;
	}

	private static long millis(double seconds) {
		return Math.round(seconds * 1000);
	}

	private static Instant instant(double seconds) {
		return START.plus(duration(seconds));
	}

	private static Duration duration(double seconds) {
		return Duration.ofNanos(Math.round(seconds * 1e9));
	}

	/**
	 * A queue.
	 */
	final class Queue {

		private final String name;

		private final DoubleUnaryOperator arrivals;

		private final double run;

		private final Deque<Double> due = new ArrayDeque<>();

		private final TreeMap<Integer, long[]> minutes = new TreeMap<>();

		private final Gate gate = Gate.open();

		private @Nullable Rate rate;

		private DoublePredicate paused = (second) -> false;

		private int everywhere;

		private int here;

		private int running;

		private double longest;

		private int heldFrom = -1;

		private int heldUntil;

		private int started;

		private int interrupted;

		Queue(String name, DoubleUnaryOperator arrivals, double run) {
			this.name = name;
			this.arrivals = arrivals;
			this.run = run;
		}

		Queue limited(int everywhere, int here) {
			this.everywhere = everywhere;
			this.here = here;
			return this;
		}

		Queue rated(Rate rate) {
			this.rate = rate;
			return this;
		}

		Queue heldBack(int from, int until) {
			this.heldFrom = from;
			this.heldUntil = until;
			return this;
		}

		Queue paused(DoublePredicate paused) {
			this.paused = paused;
			return this;
		}

		private int most(int workers) {
			int all = (this.everywhere > 0) ? this.everywhere : Integer.MAX_VALUE;
			return (this.here > 0) ? Math.min(all, this.here * workers) : all;
		}

		/**
		 * Let jobs arrive at random moments of a second, as many as a Poisson process
		 * draws. A rate of 1000 and more is a batch that is put at once.
		 */
		private void arrive(int second) {
			double rate = this.arrivals.applyAsDouble(second);
			if (rate >= 1000) {
				for (int i = 0; i < rate; i++) {
					this.due.addLast((double) second);
				}
				return;
			}
			List<Double> moments = new ArrayList<>();
			for (double at = pause(rate); at < 1; at += pause(rate)) {
				moments.add(second + at);
			}
			moments.forEach(this.due::addLast);
		}

		private double pause(double rate) {
			return -Math.log(1 - Fleet.this.random.nextDouble()) / rate;
		}

		private void start(double now, double waited) {
			this.running++;
			this.started++;
			this.longest = Math.max(this.longest, waited);
			if (this.rate != null) {
				this.gate.start(1, this.rate, Duration.ZERO, millis(now));
			}
		}

		private QueueView view(int second) {
			SettingsView settings = this.paused.test(second) ? new SettingsView(1, new Value<>(true, START, null), null)
					: SettingsView.NONE;
			return QueueView.of(this.name, true)
				.withJobs(this.due.size(), 0, 0, this.running, 0, 0)
				.withOldestReady(this.due.isEmpty() ? null : instant(this.due.getFirst()))
				.with(settings);
		}

		/**
		 * Return how many jobs have been started.
		 */
		int started() {
			return this.started;
		}

		/**
		 * Return how long a job has waited at most, in seconds.
		 */
		double longest() {
			return this.longest;
		}

		/**
		 * Return how many runs ended since their worker was removed.
		 */
		int interrupted() {
			return this.interrupted;
		}

	}

	/**
	 * A job that runs.
	 */
	private record Run(Queue queue, double due, double start, double end) {

	}

}
