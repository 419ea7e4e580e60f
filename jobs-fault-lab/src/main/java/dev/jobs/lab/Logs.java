package dev.jobs.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The logs of the engines under test. A fault of an engine is an error, or a warning with
 * a stack or with the name of a Java exception; a store out of reach is logged without
 * either. A line about a job is not a fault.
 */
final class Logs {

	private static final Pattern WARNING = Pattern.compile("[0-9:.]{12} WARN +\\[[^]]*] d\\.j\\.\\S+ - (?!Job ').*");

	private static final Pattern ERROR = Pattern.compile("[0-9:.]{12} ERROR +\\[[^]]*] d\\.j\\.\\S+ - (?!Job ').*");

	private static final Pattern EXCEPTION_OF_JAVA = Pattern
		.compile("\\bjava\\.(lang|util)\\.[A-Z]\\w*(Exception|Error)");

	private static final Pattern HEAD_OF_STACK = Pattern.compile("[a-z]\\w*(\\.\\w+)*\\.[A-Z][\\w$]*(:.*)?");

	private Logs() {
	}

	/**
	 * Return the faults in the output of all processes of a trial.
	 * @param directory where it is kept
	 * @return the faults, each with the name of its process
	 */
	static List<String> faults(Path directory) {
		List<String> faults = new ArrayList<>();
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".out")).sorted().toList()) {
				addFaults(file, faults);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return faults;
	}

	private static void addFaults(Path file, List<String> faults) throws IOException {
		List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1);
		for (int i = 0; i < lines.size(); i++) {
			String line = lines.get(i);
			String next = (i + 1 < lines.size()) ? lines.get(i + 1) : "";
			boolean hasStack = HEAD_OF_STACK.matcher(next).matches();
			if (ERROR.matcher(line).matches()
					|| (WARNING.matcher(line).matches() && (hasStack || EXCEPTION_OF_JAVA.matcher(line).find()))) {
				faults.add(file.getFileName() + ": " + line + (hasStack ? ": " + next : ""));
			}
		}
	}

}
