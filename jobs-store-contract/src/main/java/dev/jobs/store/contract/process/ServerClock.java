package dev.jobs.store.contract.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The clock that a server on this machine sees, which may be set while it runs. The
 * library faketime does that, where the environment variable {@code JOBS_TEST_FAKETIME}
 * names it. Counters that no clock change moves stay as they are.
 */
public final class ServerClock {

	private static final String VARIABLE = "JOBS_TEST_FAKETIME";

	private final Path directory;

	/**
	 * Create a clock that shows the right time.
	 * @param directory where its files are kept
	 */
	public ServerClock(Path directory) {
		this.directory = directory;
		setAhead(Duration.ZERO);
	}

	/**
	 * Return whether clocks can be set on this machine.
	 */
	public static boolean isAvailable() {
		return System.getenv(VARIABLE) != null;
	}

	/**
	 * Set the clock of all processes that see it.
	 * @param ahead how far it is ahead of the right time
	 */
	public void setAhead(Duration ahead) {
		try {
			Path next = this.directory.resolve("clock.next");
			Files.writeString(next, String.format("%+d\n", ahead.toSeconds()));
			Files.move(next, this.directory.resolve("clock"), StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the environment of a process that sees this clock.
	 */
	public Map<String, String> environment() {
		return Map.of("LD_PRELOAD", Objects.requireNonNull(System.getenv(VARIABLE), VARIABLE),
				"FAKETIME_TIMESTAMP_FILE", this.directory.resolve("clock").toAbsolutePath().toString(),
				"FAKETIME_NO_CACHE", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1", "NO_FAKE_STAT", "1");
	}

	/**
	 * Return a program that starts another one, which sees this clock.
	 * @param program the other one
	 */
	public File starting(File program) {
		return starting(program.toPath(), this.directory.resolve("start-" + program.getName())).toFile();
	}

	/**
	 * Change a program into one that sees this clock, wherever it is started from.
	 * @param directory a directory that the program is somewhere in
	 * @param name the end of its path
	 */
	public void wrap(Path directory, Path name) {
		try (Stream<Path> files = Files.walk(directory)) {
			Path program = files.filter((file) -> file.endsWith(name)).findFirst().orElseThrow();
			starting(Files.move(program, program.resolveSibling(program.getFileName() + "-itself")), program);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path starting(Path program, Path script) {
		try {
			String environment = environment().entrySet()
				.stream()
				.map((entry) -> entry.getKey() + "='" + entry.getValue() + "'")
				.collect(Collectors.joining(" "));
			Files.writeString(script,
					"#!/bin/sh\nexec env " + environment + " '" + program.toAbsolutePath() + "' \"$@\"\n");
			script.toFile().setExecutable(true);
			return script;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
