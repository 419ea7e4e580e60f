package dev.jobs.store.contract.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import dev.jobs.test.FaultWatch;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that runs {@link JobsMain}. The faults it has logged are those of the test
 * that sees it end.
 */
public final class JobsProcess implements AutoCloseable {

	private final Process process;

	private final Path output;

	private boolean ended;

	private JobsProcess(Process process, Path output) {
		this.process = process;
		this.output = output;
	}

	/**
	 * Start a process.
	 * @param directory where its output is kept
	 * @param arguments the arguments, see {@link JobsMain}
	 * @return the process, not waited for
	 */
	public static JobsProcess start(Path directory, String... arguments) {
		try {
			Path output = Files.createTempFile(directory, "process", ".out");
			List<String> command = new ArrayList<>(
					List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx96m", "-Xss256k",
							"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", JobsMain.class.getName()));
			command.addAll(List.of(arguments));
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(output.toFile());
			builder.environment().put("CLASSPATH", classPath());
			return new JobsProcess(builder.start(), output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

	/**
	 * Say a word to the process.
	 */
	public void say(String word) {
		try {
			this.process.getOutputStream().write((word + "\n").getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return what the process wrote so far, in whole lines, of those that begin with some
	 * words.
	 * @param words the first words
	 * @return the rests of the lines
	 */
	public List<String> reported(String words) {
		String beginning = JobsMain.MARK + words;
		String all = output();
		return all.substring(0, all.lastIndexOf('\n') + 1)
			.lines()
			.filter((line) -> line.equals(beginning) || line.startsWith(beginning + " "))
			.map((line) -> line.substring(beginning.length()).trim())
			.toList();
	}

	/**
	 * Expect that the process, which logs at INFO, has logged one line when it learned
	 * that it had lost a job that runs, one when that run ended, and one when the end of
	 * another job was refused.
	 * @param running the job that ran
	 * @param ended the job that had ended
	 */
	public void expectLogOfLostLeases(String running, String ended) {
		assertThat(logged(running)).hasSize(2);
		assertThat(logged(running).get(0)).contains(" WARN ",
				"is no longer held by this worker; its run is asked to stop");
		assertThat(logged(running).get(1)).contains(" INFO ", "ended after its lease was lost");
		assertThat(logged(ended)).hasSize(1);
		assertThat(logged(ended).get(0)).contains(" INFO ",
				"was no longer held when its run ended (LOST); the end changed nothing");
	}

	private List<String> logged(String text) {
		return output().lines().filter((line) -> line.matches("[0-9:.]{12} .*") && line.contains(text)).toList();
	}

	public String output() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait until the process has written something.
	 * @param words the first words of the line
	 * @return this process
	 */
	public JobsProcess await(String words) {
		return await(words, 1);
	}

	public JobsProcess await(String words, int times) {
		try {
			Awaitility.await(words)
				.atMost(Duration.ofSeconds(60))
				.pollInterval(Duration.ofMillis(20))
				.until(() -> reported(words).size() >= times || !this.process.isAlive());
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("'%s' was not written, only: %s".formatted(words, output()), ex);
		}
		assertThat(reported(words)).as("before its early end it said %s", output()).hasSizeGreaterThanOrEqualTo(times);
		return this;
	}

	/**
	 * Kill the process, which has no time for anything, and wait until it is gone.
	 */
	public void kill() {
		this.process.destroyForcibly();
		awaitEnd();
	}

	/**
	 * Ask the process to end.
	 */
	public void terminate() {
		signal("TERM");
		awaitEnd();
	}

	/**
	 * Freeze the process, as a debugger or an overloaded host does.
	 */
	public void freeze() {
		signal("STOP");
	}

	/**
	 * Let the frozen process continue.
	 */
	public void thaw() {
		signal("CONT");
	}

	public int awaitEnd() {
		int status = this.process.onExit().orTimeout(30, TimeUnit.SECONDS).join().exitValue();
		if (!this.ended) {
			this.ended = true;
			reported("fault").forEach(FaultWatch::noticed);
		}
		return status;
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	public long pid() {
		return this.process.pid();
	}

	private void signal(String name) {
		try {
			int status = new ProcessBuilder("sh", "-c", "kill -" + name + " " + this.process.pid()).start().waitFor();
			if (status != 0) {
				throw new IllegalStateException("Signal " + name + " cannot be sent");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new CompletionException(ex);
		}
	}

	@Override
	public void close() {
		kill();
	}

}
