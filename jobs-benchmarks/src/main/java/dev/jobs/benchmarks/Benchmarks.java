package dev.jobs.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.store.UsageException;
import dev.jobs.benchmarks.subject.Target;

/**
 * The benchmarks' command line.
 */
public final class Benchmarks {

	private static final int WRONG_USAGE = 2;

	private static final int LEAST_WIDTH = 14;

	private static final Path STDOUT = Path.of("-");

	private final PrintStream out;

	private final PrintStream err;

	Benchmarks(PrintStream out, PrintStream err) {
		this.out = out;
		this.err = err;
	}

	/**
	 * Run the benchmarks.
	 * @param arguments the suite and its options
	 */
	public static void main(String[] arguments) {
		int status = new Benchmarks(System.out, System.err).run(List.of(arguments));
		System.exit(status);
	}

	int run(List<String> arguments) {
		if (arguments.contains("--help")) {
			this.out.print(Options.USAGE);
			return 0;
		}
		try {
			Options options = Options.parse(arguments);
			List<Suite> suites = Suite.named(options.suite(), options.store());
			try (Target target = Target.of(options.store(), options.url(), options.log())) {
				run(suites, options, target);
			}
			return 0;
		}
		catch (UsageException ex) {
			this.err.println(ex.getMessage());
			this.err.println();
			this.err.print(Options.USAGE);
			return WRONG_USAGE;
		}
		catch (IOException ex) {
			this.err.println("The figures cannot be written: " + ex);
			return 1;
		}
	}

	private void run(List<Suite> suites, Options options, Target target) throws IOException {
		Rounds rounds = new Rounds(target, options, progress());
		PrintStream tables = STDOUT.equals(options.json()) ? this.err : this.out;
		List<String> lines = new ArrayList<>();
		for (Suite suite : suites) {
			Load load = suite.load(options);
			tables.printf(Locale.ROOT, "%s on %s: %,d jobs, %d queues, concurrency %d, %d rounds%n", suite.title(),
					options.store(), load.jobs(), load.queues(), load.concurrency(), options.rounds());
			List<Figure> figures = rounds.of(suite);
			int width = figures.stream().mapToInt((figure) -> figure.of().length()).max().orElse(0);
			for (Figure figure : figures) {
				print(figure, Math.max(width, LEAST_WIDTH), tables);
				lines.add(figure.json());
			}
			tables.println();
		}
		write(lines, options);
	}

	private static void print(Figure figure, int width, PrintStream tables) {
		boolean ratio = figure.metric().equals(Figure.RATIO);
		String format = ratio || figure.spread().median() < 1000 ? "%,.3f" : "%,.0f";
		String subject = ratio ? "ratio" : figure.subject();
		tables.printf(Locale.ROOT,
				"  %-" + width + "s %-12s " + format.replace("%,", "%,12") + " %-15s (" + format + " - " + format
						+ ")%n",
				figure.of(), subject, figure.spread().median(), figure.unit(), figure.spread().min(),
				figure.spread().max());
	}

	private void write(List<String> lines, Options options) throws IOException {
		Path json = options.json();
		if (STDOUT.equals(json)) {
			lines.forEach(this.out::println);
		}
		else if (json != null) {
			Files.write(json, lines);
		}
	}

	/** Shown only on a terminal: elsewhere it would fill a file. */
	private Consumer<String> progress() {
		if (System.console() == null || System.getenv("TERM") == null) {
			return (text) -> {
			};
		}
		return (text) -> {
			this.err.print("\r\033[K" + text);
			this.err.flush();
		};
	}

}
