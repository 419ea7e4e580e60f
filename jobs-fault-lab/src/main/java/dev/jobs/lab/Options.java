package dev.jobs.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.store.contract.process.ServerClock;
import org.jspecify.annotations.Nullable;

/**
 * The options of the lab.
 *
 * @param topologies on which servers
 * @param duration how long faults are injected on each, unless they are counted
 * @param count how many faults are injected on each, or 0 to go by the duration
 * @param pause how long to wait between two faults, on average
 * @param seed says which faults, to what and when
 * @param only the faults to choose from
 * @param queue the only queue that is filled, or {@code null} for all
 * @param bug the bug to plant in the processes
 * @param directory where ledgers and the report are kept, or {@code null} for a temporary
 * one
 */
record Options(List<Topology> topologies, Duration duration, int count, Duration pause, long seed, Set<Fault> only,
		@Nullable String queue, PlantedBug bug, @Nullable Path directory) {

	static final String USAGE = """
			Breaks processes, networks and servers under load and checks what was promised.

			--servers redis,cluster,postgresql   which servers, one after the other (all: also sentinel)
			--minutes 30                         how long faults are injected on each (1)
			--count 1000                         how many faults on each, instead of a time
			--pause 1200                         milliseconds between two faults, on average
			--seed 1                             repeats the choice of faults (a new one)
			--faults kill-worker,cut-connections the faults to choose from (all; jump-server-clock
			                                     only if JOBS_TEST_FAKETIME names libfaketime.so.1)
			--queue orders                       fills one queue only, as fast as it is emptied (all)
			--bug token-check-dropped            plants a bug, to see that it is found (none)
			--directory target/lab               where ledgers and the report are kept
			""";

	private static final Set<String> NAMES = Set.of("--servers", "--minutes", "--count", "--pause", "--seed",
			"--faults", "--queue", "--bug", "--directory");

	/**
	 * Read the options.
	 * @param arguments the arguments of the command line
	 * @param newSeed the seed unless one is given
	 * @throws IllegalArgumentException if they are not understood
	 */
	static Options parse(List<String> arguments, long newSeed) {
		Map<String, String> given = new HashMap<>();
		for (int i = 0; i < arguments.size(); i += 2) {
			String name = arguments.get(i);
			if (!NAMES.contains(name) || i + 1 == arguments.size()) {
				throw new IllegalArgumentException(
						NAMES.contains(name) ? "'" + name + "' needs a value" : "There is no option '" + name + "'");
			}
			given.put(name, arguments.get(i + 1));
		}
		String directory = given.get("--directory");
		return new Options(several(Topology.values(), given.get("--servers")),
				Duration.ofMinutes(number(given, "--minutes", 1)), (int) number(given, "--count", 0),
				Duration.ofMillis(number(given, "--pause", 1200)), number(given, "--seed", newSeed),
				faults(given.get("--faults")), queue(given.get("--queue")),
				several(PlantedBug.values(), given.getOrDefault("--bug", titleOf(PlantedBug.NONE))).get(0),
				(directory != null) ? Path.of(directory) : null);
	}

	private static Set<Fault> faults(@Nullable String titles) {
		Set<Fault> faults = new HashSet<>(several(Fault.values(), titles));
		if (!ServerClock.isAvailable() && faults.remove(Fault.JUMP_SERVER_CLOCK) && titles != null) {
			throw new IllegalArgumentException("'" + titleOf(Fault.JUMP_SERVER_CLOCK)
					+ "' needs the library libfaketime: set JOBS_TEST_FAKETIME to the path of its libfaketime.so.1");
		}
		return faults;
	}

	private static @Nullable String queue(@Nullable String title) {
		return (title != null) ? Queues.titled(title).title() : null;
	}

	private static long number(Map<String, String> given, String name, long fallback) {
		String value = given.get(name);
		return (value != null) ? Long.parseLong(value) : fallback;
	}

	private static <E extends Enum<E>> List<E> several(E[] all, @Nullable String titles) {
		if (titles == null) {
			return List.of(all);
		}
		List<E> chosen = new ArrayList<>();
		for (String title : titles.split(",")) {
			chosen.add(Stream.of(all)
				.filter((constant) -> titleOf(constant).equals(title))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("There is no '" + title + "', only "
						+ Stream.of(all).map(Options::titleOf).collect(Collectors.joining(", ")))));
		}
		return chosen;
	}

	/**
	 * Return how a constant is called on the command line and in reports.
	 */
	static String titleOf(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
