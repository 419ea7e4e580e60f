package dev.jobs.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The command line of the lab. It ends with 0 if every promise held, with 1 if not, and
 * with 2 if its arguments make no sense.
 */
public final class FaultLab {

	private FaultLab() {
	}

	/**
	 * Run the lab.
	 * @param arguments the options
	 */
	public static void main(String[] arguments) throws IOException {
		List<String> words = List.of(arguments);
		if (words.contains("--help")) {
			System.out.print(Options.USAGE);
			return;
		}
		Options options;
		try {
			options = Options.parse(words, new Random().nextInt(1_000_000));
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			System.err.print(Options.USAGE);
			System.exit(2);
			return;
		}
		boolean clean = run(options).stream().allMatch(Verdict::isClean);
		System.exit(clean ? 0 : 1);
	}

	/**
	 * Run one trial after the other and write the report.
	 * @param options what is wanted
	 * @return what came out
	 */
	static List<Verdict> run(Options options) throws IOException {
		Path directory = (options.directory() != null) ? Files.createDirectories(options.directory())
				: Files.createTempDirectory("jobs-fault-lab");
		directory = directory.toAbsolutePath();
		System.out.println("Seed " + options.seed() + "; ledgers and report in " + directory);
		List<Verdict> verdicts = new ArrayList<>();
		for (Topology topology : options.topologies()) {
			Path place = Files.createTempDirectory(directory, Options.titleOf(topology) + "-");
			Files.createDirectories(place.resolve("data"));
			verdicts.add(new Trial(options, topology, place).run());
		}
		String report = Report.of(Build.name(), options, verdicts);
		Files.writeString(directory.resolve("report.md"), report);
		System.out.println(report);
		return verdicts;
	}

}
