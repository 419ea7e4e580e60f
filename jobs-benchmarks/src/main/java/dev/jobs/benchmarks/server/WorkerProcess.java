package dev.jobs.benchmarks.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A started {@link WorkerMain} and what it reports.
 */
final class WorkerProcess implements AutoCloseable {

	private final Process process;

	/**
	 * Start a worker.
	 * @param options what it is to do
	 * @param starts hears of each job that starts there
	 */
	WorkerProcess(WorkerMain.Options options, Starts starts) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("java.class.path"), WorkerMain.class.getName()));
		command.addAll(options.toArguments());
		try {
			this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this.process::destroyForcibly));
		Thread reader = new Thread(() -> read(starts), "worker-" + this.process.pid());
		reader.setDaemon(true);
		reader.start();
	}

	private void read(Starts starts) {
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				long[] start = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
				starts.started((int) start[0], start[1]);
			}
		}
		catch (IOException ex) {
			// The process was killed while it reported something.
		}
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Send a signal.
	 * @param signal its name without {@code SIG}
	 */
	void signal(String signal) {
		try {
			int status = new ProcessBuilder("kill", "-" + signal, Long.toString(this.process.pid())).inheritIO()
				.start()
				.waitFor();
			if (status != 0) {
				throw new IllegalStateException("kill ended with " + status);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while a signal was sent", ex);
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

	/**
	 * Hears of jobs that start.
	 */
	@FunctionalInterface
	interface Starts {

		/**
		 * Take note of a job.
		 * @param job its number
		 * @param nanos when it started, by the {@link WallClock}
		 */
		void started(int job, long nanos);

	}

}
