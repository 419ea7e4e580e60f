package dev.jobs.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;

import dev.jobs.benchmarks.load.Crowd;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.store.StatementLog;
import dev.jobs.benchmarks.store.UsageException;
import dev.jobs.benchmarks.subject.Target;
import dev.jobs.engine.settings.EngineSettings;
import org.jspecify.annotations.Nullable;

/**
 * What the command line says.
 *
 * @param suite the suite to run, or {@code all}
 * @param store the kind of store
 * @param url where the store is, or {@code null} if not given
 * @param jobs how many jobs, or {@code null} for what the suite wants
 * @param queues how many queues
 * @param concurrency how many jobs run at once
 * @param rounds how many rounds are measured after the warm-up
 * @param others how many jobs of other types wait meanwhile, for {@code scale}
 * @param running how many jobs run meanwhile on other workers, for {@code scale}
 * @param time how long {@code idle} and {@code schedules} look, over what time
 * {@code scheduled} spreads its jobs and for how long {@code pages} asks for each
 * @param lease how long a worker counts as alive after a beat, for {@code recovery}
 * @param crowd what makes {@code drain} and {@code latency} harder
 * @param statements whether to print what a PostgreSQL spends its time with
 * @param json where to write the figures as JSON lines, or {@code null} for nowhere
 */
record Options(String suite, String store, @Nullable String url, @Nullable Integer jobs, int queues, int concurrency,
		int rounds, int others, int running, Duration time, Duration lease, Crowd crowd, boolean statements,
		@Nullable Path json) {

	static final String USAGE = """
			Usage: java -jar jobs-benchmarks.jar <suite> [options]

			Suites:
			  drain      run jobs that are all there at the start
			  enqueue    enqueue one by one, from 1 thread and from 8 threads
			  bulk       enqueue 500 with each call, from 1 thread and from 2 threads
			  latency    from enqueue to handler start on an idle pool
			  scheduled  how late scheduled jobs start, and how many too early
			  idle       CPU time and store calls of a started engine without work
			  schedules  what schedules put at run time cost while they are idle, and
			             how late they tick when all are due at once
			  bulk-acts  retry dead jobs by a bulk action beside a running drain
			  lanes      drain jobs in few and in many lanes, beside the same without
			  fairness   from enqueue to handler start in a quiet lane beside full ones
			  rate       how many permits of a rate are used, and the worst window
			  steps      how many steps are saved in a second
			  results    what it costs to wait for many results
			  waiting    what it costs that many jobs wait for a signal
			  scale      drain with 500 handlers instead of 5
			  remote     from enqueue to handler start in another process
			  call       from call to result of a job in another process
			  recovery   from the end of a process, killed or frozen, to its job's next start
			  footprint  memory of the server for each waiting job
			  pages      from request to reply of the dashboard and Actuator
			  all        all of these; the last five need a server, and
			             footprint Redis

			Options:
			  --store memory|redis|postgres  the store (memory)
			  --url URL                      where the store is (one is started)
			  --jobs N                       how many jobs (as the suite wants)
			  --queues N                     over how many queues (5; scale, pages have their own)
			  --concurrency N                how many run at once (20)
			  --rounds N                     measured rounds after the warm-up (5)
			  --others N                     scale: how many jobs of other types wait (0)
			  --running N                    scale: how many jobs run on other workers (0)
			  --seconds N                    idle, scheduled, schedules: length of a
			                                 round, pages: for how long each is
			                                 asked for (5)
			  --lease N                      recovery: seconds a worker's lease holds (15)
			  --scheduled N                  drain: how many wait for a later time (0)
			  --passed N                     latency: how many jobs have run before (0)
			  --snapshot                     drain, latency, postgres: beside a long
			                                 transaction that reads
			  --writer                       drain, latency, postgres: beside a long
			                                 transaction that has written
			  --statements                   postgres: report which took the server's time
			  --json FILE                    also write the figures as JSON lines; - for stdout
			  --help                         show this

			A million jobs need about 1 GB of heap. Java takes a quarter of the memory at
			most; give it more with -Xmx, before -jar.
			""";

	static Options parse(List<String> arguments) {
		if (arguments.isEmpty() || arguments.get(0).startsWith("-")) {
			throw new UsageException("The first argument must be a suite");
		}
		Draft draft = new Draft();
		for (Iterator<String> rest = arguments.listIterator(1); rest.hasNext();) {
			String option = rest.next();
			draft.set(option, rest);
		}
		if ((draft.snapshot || draft.writer) && !draft.store.equals(Target.POSTGRES)) {
			throw new UsageException("--snapshot and --writer need --store postgres");
		}
		return new Options(arguments.get(0), draft.store, draft.url, draft.jobs, draft.queues, draft.concurrency,
				draft.rounds, draft.others, draft.running, draft.time, draft.lease,
				new Crowd(draft.scheduled, draft.passed, draft.snapshot, draft.writer), draft.statements, draft.json);
	}

	@Nullable StatementLog log() {
		return this.statements ? new StatementLog(System.err) : null;
	}

	/**
	 * Return the same without what makes it harder.
	 */
	Options alone() {
		return new Options(this.suite, this.store, this.url, this.jobs, this.queues, this.concurrency, this.rounds,
				this.others, this.running, this.time, this.lease, Crowd.NONE, this.statements, this.json);
	}

	Load load(int defaultJobs) {
		return new Load((this.jobs != null) ? this.jobs : defaultJobs, this.queues, this.concurrency);
	}

	/**
	 * The options as they are read.
	 */
	private static final class Draft {

		private String store = Target.MEMORY;

		private @Nullable String url;

		private @Nullable Integer jobs;

		private int queues = 5;

		private int concurrency = 20;

		private int rounds = 5;

		private int others;

		private int running;

		private Duration time = Duration.ofSeconds(5);

		private Duration lease = EngineSettings.defaults().lease();

		private int scheduled;

		private int passed;

		private boolean snapshot;

		private boolean writer;

		private boolean statements;

		private @Nullable Path json;

		void set(String option, Iterator<String> rest) {
			switch (option) {
				case "--store" -> this.store = value(option, rest);
				case "--url" -> this.url = value(option, rest);
				case "--jobs" -> this.jobs = number(option, rest, 1);
				case "--queues" -> this.queues = number(option, rest, 1);
				case "--concurrency" -> this.concurrency = number(option, rest, 1);
				case "--rounds" -> this.rounds = number(option, rest, 1);
				case "--others" -> this.others = number(option, rest, 0);
				case "--running" -> this.running = number(option, rest, 0);
				case "--seconds" -> this.time = seconds(option, rest);
				case "--lease" -> this.lease = seconds(option, rest);
				case "--scheduled" -> this.scheduled = number(option, rest, 0);
				case "--passed" -> this.passed = number(option, rest, 0);
				case "--snapshot" -> this.snapshot = true;
				case "--writer" -> this.writer = true;
				case "--statements" -> this.statements = true;
				case "--json" -> this.json = Path.of(value(option, rest));
				default -> throw new UsageException("There is no option '" + option + "'");
			}
		}

		private static String value(String option, Iterator<String> rest) {
			if (!rest.hasNext()) {
				throw new UsageException(option + " needs a value");
			}
			return rest.next();
		}

		private static Duration seconds(String option, Iterator<String> rest) {
			return Duration.ofMillis(Math.round(1000 * decimal(option, rest)));
		}

		private static double decimal(String option, Iterator<String> rest) {
			String value = value(option, rest);
			try {
				double decimal = Double.parseDouble(value);
				if (decimal >= 0.001 && decimal <= 3600) {
					return decimal;
				}
			}
			catch (NumberFormatException ex) {
				// Reported below.
			}
			throw new UsageException(option + " must be a number from 0.001 to 3600 but was '" + value + "'");
		}

		private static int number(String option, Iterator<String> rest, int least) {
			String value = value(option, rest);
			try {
				int number = Integer.parseInt(value);
				if (number >= least) {
					return number;
				}
			}
			catch (NumberFormatException ex) {
				// Reported below.
			}
			throw new UsageException(
					option + " must be a whole number of at least " + least + " but was '" + value + "'");
		}

	}

}
