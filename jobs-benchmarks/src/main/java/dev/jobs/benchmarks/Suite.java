package dev.jobs.benchmarks;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

import com.sun.management.OperatingSystemMXBean;
import dev.jobs.Rate;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.page.Pages;
import dev.jobs.benchmarks.server.Footprint;
import dev.jobs.benchmarks.server.Footprint.Kind;
import dev.jobs.benchmarks.server.ServerProcesses;
import dev.jobs.benchmarks.server.ServerProcesses.Fault;
import dev.jobs.benchmarks.store.UsageException;
import dev.jobs.benchmarks.subject.BulkActs;
import dev.jobs.benchmarks.subject.EngineSubject;
import dev.jobs.benchmarks.subject.Schedules;
import dev.jobs.benchmarks.subject.Subject;
import dev.jobs.benchmarks.subject.Subject.Idling;
import dev.jobs.benchmarks.subject.Target;

/**
 * What can be measured. Each suite measures one round of one subject.
 */
enum Suite {

	/** Run jobs that are all there at the start. */
	DRAIN(1_000_000, 100_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options).with(options.crowd());
			return List.of(Reading.rate("jobs/s", load.jobs(), subject.drain(load)));
		}

	},

	/** Enqueue one job with each call, and run nothing. */
	ENQUEUE(300_000, 30_000, 5_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			return List.of(Reading.rate("1 thread", load.jobs(), subject.enqueue(load, 1, 1)),
					Reading.rate("8 threads", load.jobs(), subject.enqueue(load, 8, 1)));
		}

	},

	/** Enqueue many jobs with each call, and run nothing. */
	BULK(300_000, 300_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			return List.of(Reading.rate("1 thread", load.jobs(), subject.enqueue(load, 1, StoreJobs.BATCH)),
					Reading.rate("2 threads", load.jobs(), subject.enqueue(load, 2, StoreJobs.BATCH)));
		}

	},

	/** From enqueue to the start of the handler while nothing else is to be done. */
	LATENCY(2000, 2000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			return Reading.percentiles(subject.latencies(load(options).with(options.crowd()), PAUSE));
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			compile(target, subject, options, this);
		}

	},

	/** How late scheduled jobs start. */
	SCHEDULED(2000, 2000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			long[] lateness = subject.lateness(load(options), options.time());
			List<Reading> readings = new ArrayList<>(Reading.percentiles(lateness));
			readings.add(new Reading("early", Arrays.stream(lateness).filter((late) -> late < 0).count(), "jobs"));
			return readings;
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			compile(target, subject, options, this);
		}

	},

	/** What it costs to have nothing to do. */
	IDLE(1, 1) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			try (Idling idling = subject.idle(load(options))) {
				return cost(idling, options, "");
			}
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// A cold process idles as well as a warm one.
		}

	},

	/** What schedules cost that were put at run time, and how late all at once tick. */
	SCHEDULES(10_000, 10_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			try (Schedules schedules = target.schedules(load(options))) {
				List<Reading> readings = new ArrayList<>(cost(schedules, options, " without any"));
				long puts = schedules.put(Instant.now().plus(Duration.ofDays(30)));
				readings.addAll(cost(schedules, options, " with all"));
				readings.add(new Reading("puts", load(options).jobs() * 1e9 / puts, "1/s"));
				readings.addAll(Reading.percentiles(schedules.lateness(puts)));
				return readings;
			}
		}

	},

	/** What lanes cost, without a limit and if one job of each may run at once. */
	LANES(200_000, 50_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			long plain = target.lanes().drain(load, 0, 0);
			List<Reading> readings = new ArrayList<>(List.of(Reading.rate("plain", load.jobs(), plain)));
			for (int lanes : LANES_TO_DRAIN) {
				long took = target.lanes().drain(load, lanes, 0);
				readings.add(new Reading(lanes + " lanes", (double) plain / took, "of plain"));
				long limited = target.lanes().drain(load, lanes, 1);
				readings.add(new Reading(lanes + " lanes, one at once", (double) plain / limited, "of plain"));
			}
			return readings;
		}

	},

	/** From enqueue to the start of the handler for lanes in which nothing waits. */
	FAIRNESS(100_000, 100_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			List<Reading> readings = new ArrayList<>();
			for (int noisy : NOISY_LANES) {
				readings.addAll(
						Reading.percentiles("beside " + noisy, target.lanes().waits(load(options), noisy, SAMPLES)));
			}
			return readings;
		}

	},

	/**
	 * How many permits of a rate are used, and how many starts are in the worst window.
	 */
	RATE(5_000, 5_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			Rate rate = Rate.of(Math.max(load.jobs() / 5, 1), Duration.ofMillis(Math.max(load.jobs(), 200)));
			long[] starts = target.rated().run(load, rate);
			return List.of(new Reading("permits used", used(starts, rate), "of all"),
					new Reading("worst window", most(starts, rate) / (double) rate.getStarts(), "of rate"));
		}

		/**
		 * Return which part of the permits was used in all windows but the last.
		 */
		private static double used(long[] starts, Rate rate) {
			long window = rate.getWindow().toNanos();
			long windows = Math.max((starts[starts.length - 1] - starts[0]) / window, 1);
			long end = starts[0] + windows * window;
			return Arrays.stream(starts).filter((at) -> at < end).count() / (double) (windows * rate.getStarts());
		}

		private static int most(long[] starts, Rate rate) {
			int most = 0;
			int from = 0;
			for (int to = 0; to < starts.length; to++) {
				while (starts[to] - starts[from] >= rate.getWindow().toNanos()) {
					from++;
				}
				most = Math.max(most, to - from + 1);
			}
			return most;
		}

	},

	/** How many steps are saved in a second. */
	STEPS(20_000, 5_000, 2_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			double saves = load.jobs() * EngineSubject.STEPS;
			return List.of(new Reading("saves", saves * 1e9 / target.steps().steps(load), "1/s"));
		}

	},

	/** What it costs to wait for many results while nothing ends. */
	RESULTS(10_000, 10_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			List<Reading> readings = new ArrayList<>();
			for (int waiting : List.of(FEW_WAIT, load.jobs())) {
				try (Waiting waiters = new Waiting(target.stores(), load, waiting)) {
					readings.addAll(cost(waiters, options, " with " + waiting));
					if (waiting == load.jobs()) {
						readings.add(Reading.rate("told", waiting, waiters.endAll()));
					}
				}
			}
			return readings;
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// A cold process waits as well as a warm one.
		}

	},

	/** What it costs that many jobs wait for a signal, and how soon it starts one. */
	WAITING(1_000_000, 1_000_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			int jobs = Math.min(load.jobs(), MOST_TO_DRAIN);
			int samples = Math.min(load.jobs(), SAMPLES);
			try (ParkedJobs parked = new ParkedJobs(target.stores(), load)) {
				parked.drain(jobs);
				long without = typical(() -> parked.drain(jobs));
				parked.park(load.jobs());
				long beside = typical(() -> parked.drain(jobs));
				List<Reading> readings = new ArrayList<>(List.of(Reading.rate("drain beside", jobs, beside),
						new Reading("drain", (double) without / beside, "of without")));
				parked.starts(samples);
				readings.addAll(Reading.percentiles("start", parked.starts(samples)));
				readings.addAll(Reading.percentiles("signal to start", parked.signals(samples)));
				return readings;
			}
		}

		private static long typical(LongSupplier time) {
			return LongStream.generate(time).limit(DRAINS).sorted().skip(DRAINS / 2).findFirst().orElseThrow();
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// Each round warms up, beside its parked jobs.
		}

	},

	/** What claims cost while a bulk action retries dead jobs, and without it. */
	BULK_ACTS(100_000, 1_000_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			try (BulkActs acts = target.bulkActs(load)) {
				acts.prepare();
				acts.alone(options.time());
				List<Reading> readings = new ArrayList<>(
						Reading.percentiles("claim without", acts.alone(options.time())));
				readings.add(Reading.rate("retried", load.jobs(), acts.retryAll()));
				readings.addAll(Reading.percentiles("claim beside", acts.times("claim")));
				readings.addAll(Reading.percentiles("read", acts.times("page")));
				readings.addAll(Reading.percentiles("change", acts.times("change")));
				long slowest = acts.slowest();
				if (slowest >= 0) {
					readings.add(new Reading("longest script", slowest / 1e6, "ms"));
				}
				return readings;
			}
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// Each round warms up, beside its dead jobs.
		}

	},

	/** What many handlers and many jobs of other types cost. */
	SCALE(500_000, 1_000_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			Load load = load(options);
			long few = subject.drain(new Load(load.jobs(), FEW, load.concurrency()));
			long many = subject.drain(new Load(load.jobs(), MANY, load.concurrency(), options.others(),
					options.running(), options.crowd()));
			return List.of(Reading.rate(FEW + " handlers", load.jobs(), few),
					Reading.rate(MANY + " handlers", load.jobs(), many),
					new Reading("cost of " + MANY, (double) many / few, "times"));
		}

	},

	/** From enqueue to the start of the handler in another process. */
	REMOTE(0, 2000, 1000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			return Reading.percentiles(new ServerProcesses(target.server()).latencies(load(options), PAUSE));
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// Each round has its own, since the process is new.
		}

	},

	/** From the call to the result of a job in another process, beside its start. */
	CALL(0, 2000, 1000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			long[][] times = new ServerProcesses(target.server()).calls(load(options), PAUSE);
			List<Reading> readings = new ArrayList<>(Reading.percentiles("start", times[0]));
			readings.addAll(Reading.percentiles("call", times[1]));
			return readings;
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// Each round has its own, since the process is new.
		}

	},

	/** From the end of a process to the next start of the job it ran. */
	RECOVERY(0, 1) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			return Arrays.stream(Fault.values())
				.map((fault) -> Reading.seconds(fault.name().toLowerCase(Locale.ROOT),
						new ServerProcesses(target.server()).recovery(load(options), fault, options.lease())))
				.toList();
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// Most of the time is waiting.
		}

	},

	/** How much memory or disk of the server a waiting job takes. */
	FOOTPRINT(0, 100_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			return Arrays.stream(Kind.values())
				.map((kind) -> new Reading(kind.title(),
						new Footprint(target.server()).bytesPerJob(load(options), kind), "bytes/job"))
				.toList();
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// Memory is the same in a cold process.
		}

	},

	/** How long an operator waits for a page. */
	PAGES(0, 1_000_000) {

		@Override
		List<Reading> measure(Target target, Subject subject, Options options) {
			List<Reading> readings = new ArrayList<>();
			new Pages(target.server()).times(load(options), options.time())
				.forEach((page, nanos) -> readings.addAll(Reading.typical(page, nanos)));
			return readings;
		}

		@Override
		Load load(Options options) {
			Load load = super.load(options);
			return new Load(load.jobs(), QUEUES_TO_SEE, load.concurrency());
		}

		@Override
		void warmUp(Target target, Subject subject, Options options) {
			// Each round has its own, since the application is new.
		}

	};

	private static final List<Integer> LANES_TO_DRAIN = List.of(10, 1_000, 100_000);

	private static final List<Integer> NOISY_LANES = List.of(1, 20);

	private static final int SAMPLES = 500;

	private static final int MOST_TO_DRAIN = 200_000;

	private static final int DRAINS = 5;

	private static final int FEW = 5;

	private static final int FEW_WAIT = 10;

	private static final int MANY = 500;

	private static final int QUEUES_TO_SEE = 100;

	private static final int JOBS_TO_COMPILE = 100;

	private static final int MOST_ROUNDS_TO_COMPILE = 25;

	/** The part of a round during which a quiet compiler works. */
	private static final double QUIET = 0.01;

	private static final Duration PAUSE = Duration.ofMillis(1);

	private static final Duration SETTLING = Duration.ofSeconds(1);

	private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

	private static final OperatingSystemMXBean PROCESS = ManagementFactory
		.getPlatformMXBean(OperatingSystemMXBean.class);

	/** 0 if other processes must share the store. */
	private final int jobsInMemory;

	private final int jobsInRedis;

	/** Less where each job waits for the disk. */
	private final int jobsInPostgres;

	Suite(int jobsInMemory, int jobsOnServer) {
		this(jobsInMemory, jobsOnServer, jobsOnServer);
	}

	Suite(int jobsInMemory, int jobsInRedis, int jobsInPostgres) {
		this.jobsInMemory = jobsInMemory;
		this.jobsInRedis = jobsInRedis;
		this.jobsInPostgres = jobsInPostgres;
	}

	/**
	 * Measure once.
	 * @param target the kind of store
	 * @param subject what to measure
	 * @param options how
	 * @return the readings, the same metrics in the same order each time
	 */
	abstract List<Reading> measure(Target target, Subject subject, Options options);

	/**
	 * Bring the subject to its usual speed.
	 * @param target the kind of store
	 * @param subject what will be measured
	 * @param options how
	 */
	void warmUp(Target target, Subject subject, Options options) {
		measure(target, subject, options);
	}

	/**
	 * Run many jobs, then measure until the compiler is quiet: where single jobs are
	 * measured, it would show up among the slowest.
	 */
	private static void compile(Target target, Subject subject, Options options, Suite suite) {
		Load load = suite.load(options);
		subject.drain(new Load(JOBS_TO_COMPILE * load.jobs(), load.queues(), load.concurrency()));
		double busy = 1;
		for (int round = 0; round < MOST_ROUNDS_TO_COMPILE && busy > QUIET; round++) {
			long compiled = COMPILER.getTotalCompilationTime();
			long started = System.nanoTime();
			suite.measure(target, subject, options.alone());
			busy = (COMPILER.getTotalCompilationTime() - compiled) * 1e6 / (System.nanoTime() - started);
		}
	}

	/**
	 * Measure what it costs to have nothing to do.
	 */
	private static List<Reading> cost(Idling idling, Options options, String when) {
		rest(SETTLING.compareTo(options.time()) < 0 ? SETTLING : options.time());
		Map<String, Long> before = idling.counts();
		long cpu = PROCESS.getProcessCpuTime();
		long started = System.nanoTime();
		rest(options.time());
		double nanos = System.nanoTime() - started;
		double usage = 100 * (PROCESS.getProcessCpuTime() - cpu) / nanos;
		List<Reading> readings = new ArrayList<>(List.of(new Reading("cpu" + when, usage, "% of a core")));
		idling.counts()
			.forEach((what, count) -> readings
				.add(new Reading(what + when, (count - before.getOrDefault(what, 0L)) * 1e9 / nanos, "1/s")));
		return readings;
	}

	private static void rest(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	private boolean isFor(String store) {
		return !store.equals(Target.MEMORY) || this.jobsInMemory > 0;
	}

	/**
	 * Return what to measure.
	 * @param target the kind of store
	 * @return the subjects by name, the engine first
	 */
	Map<String, Subject> subjects(Target target) {
		Map<String, Subject> subjects = new LinkedHashMap<>();
		subjects.put("jobs", target.jobs());
		if (this.jobsInMemory > 0 && this != SCHEDULES && this != BULK_ACTS && this != LANES && this != STEPS
				&& this != RESULTS && this != WAITING && this != FAIRNESS && this != RATE) {
			subjects.put("floor", target.floor());
		}
		if (this == ENQUEUE) {
			subjects.putAll(target.singles());
		}
		if (this == DRAIN || this == ENQUEUE || this == BULK) {
			subjects.putAll(target.peers());
		}
		return subjects;
	}

	Load load(Options options) {
		return options.load(switch (options.store()) {
			case Target.MEMORY -> this.jobsInMemory;
			case Target.POSTGRES -> this.jobsInPostgres;
			default -> this.jobsInRedis;
		});
	}

	String title() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Find suites by what was typed.
	 * @param title the name of a suite, or {@code all}
	 * @param store the kind of store
	 * @return the suites
	 * @throws UsageException if there are none of that name
	 */
	static List<Suite> named(String title, String store) {
		List<Suite> fitting = Arrays.stream(values()).filter((suite) -> suite.isFor(store)).toList();
		if (title.equals("all")) {
			return fitting;
		}
		return fitting.stream()
			.filter((suite) -> suite.title().equals(title))
			.findFirst()
			.map(List::of)
			.orElseThrow(() -> new UsageException("There is no suite '" + title + "' for this store"));
	}

}
