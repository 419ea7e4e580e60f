package dev.jobs.lab;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The file in which one process notes what it does. Each line is handed to the operating
 * system at once, in one piece, so a process that is killed leaves all it has noted.
 */
final class Ledger implements AutoCloseable {

	private static final String SUFFIX = ".ledger";

	private final FileOutputStream file;

	/**
	 * Open the ledger of a process.
	 * @param directory where all ledgers of a trial are
	 * @param process the name of the process
	 */
	Ledger(Path directory, String process) {
		try {
			this.file = new FileOutputStream(directory.resolve(process + SUFFIX).toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Note what happens now.
	 * @param kind what it is
	 * @param words the details, without spaces
	 */
	synchronized void note(Entry.Kind kind, Object... words) {
		String line = Stream.concat(Stream.of(System.nanoTime(), kind), Stream.of(words))
			.map(String::valueOf)
			.collect(Collectors.joining(" ", "", "\n"));
		try {
			this.file.write(line.getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The ledger cannot be written", ex);
		}
	}

	@Override
	public void close() {
		try {
			this.file.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Read all ledgers of a trial.
	 * @param directory where they are
	 * @return the entries, in the order in which they happened
	 */
	static List<Entry> read(Path directory) {
		List<Entry> entries = new ArrayList<>();
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(SUFFIX)).sorted().toList()) {
				String name = file.getFileName().toString();
				String process = name.substring(0, name.length() - SUFFIX.length());
				String text = Files.readString(file);
				text.substring(0, text.lastIndexOf('\n') + 1)
					.lines()
					.forEach((line) -> entries.add(entry(process, line)));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		entries.sort(Comparator.comparingLong(Entry::nanos));
		return entries;
	}

	private static Entry entry(String process, String line) {
		List<String> words = List.of(line.split(" "));
		return new Entry(Long.parseLong(words.get(0)), process, Entry.Kind.valueOf(words.get(1)),
				words.subList(2, words.size()));
	}

}
