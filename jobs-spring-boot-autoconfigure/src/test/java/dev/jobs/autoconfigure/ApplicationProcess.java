package dev.jobs.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application in a process of its own, with nothing on its classpath that serves
 * requests.
 */
final class ApplicationProcess implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private static final Pattern UNWANTED = Pattern.compile(
			".*(tomcat|jakarta\\.servlet|spring-web|webmvc|webflux|security|hibernate|jpa|spring-orm|actuate|actuator|micrometer-tracing|brave|opentelemetry|narayana|selenium|devtools).*");

	private final Process process;

	private final Path output;

	private ApplicationProcess(Process process, Path output) {
		this.process = process;
		this.output = output;
	}

	static ApplicationProcess start(Path directory, Class<?> main, List<String> arguments) throws IOException {
		return startWithout(List.of(), directory, main, arguments);
	}

	/**
	 * Start an application that DevTools restarts when a file in a directory changes.
	 */
	static ApplicationProcess startWithDevtools(Path watched, Path directory, Class<?> main, List<String> arguments)
			throws IOException {
		String devtools = classPath().filter((entry) -> entry.contains("spring-boot-devtools"))
			.findFirst()
			.orElseThrow();
		return start(directory, main, arguments,
				String.join(File.pathSeparator, watched + File.separator, devtools, classPathWithout(List.of())));
	}

	/**
	 * Start an application without some of our modules.
	 */
	static ApplicationProcess startWithout(List<String> modules, Path directory, Class<?> main, List<String> arguments)
			throws IOException {
		return start(directory, main, arguments, classPathWithout(modules));
	}

	/**
	 * Start an application with a folder whose classes hide those of libraries.
	 */
	static ApplicationProcess startBehind(String folder, Path directory, Class<?> main, List<String> arguments)
			throws IOException {
		return start(directory, main, arguments, folder + File.pathSeparator + classPathWithout(List.of()));
	}

	private static ApplicationProcess start(Path directory, Class<?> main, List<String> arguments, String classPath)
			throws IOException {
		Path output = Files.createTempFile(directory, "process", ".out");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", main.getName()));
		command.addAll(arguments);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
		builder.environment().put("CLASSPATH", classPath);
		return new ApplicationProcess(builder.start(), output);
	}

	private static String classPathWithout(List<String> modules) {
		return classPath().filter((entry) -> !UNWANTED.matcher(new File(entry).getName()).matches())
			.filter((entry) -> modules.stream().noneMatch((module) -> entry.contains("/" + module + "/")))
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static Stream<String> classPath() {
		String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		return Arrays.stream(all.split(File.pathSeparator));
	}

	String output() throws IOException {
		return Files.readString(this.output);
	}

	/**
	 * Wait until the process has written something, a number of times.
	 */
	void await(String words, int times) throws IOException {
		Awaitility.await(words)
			.atMost(PATIENCE)
			.until(() -> !this.process.isAlive() || output().split(Pattern.quote(words), -1).length > times);
		assertThat(output().split(Pattern.quote(words), -1)).as("'%s' in %s", words, output())
			.hasSizeGreaterThan(times);
	}

	/**
	 * Send the process a line.
	 */
	void say(String line) throws IOException {
		this.process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
		this.process.getOutputStream().flush();
	}

	/**
	 * Ask the process to end, as SIGTERM does.
	 */
	void terminate() {
		ProcessHandle.of(this.process.pid()).ifPresent(ProcessHandle::destroy);
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Wait until the process has ended by itself.
	 * @return its exit status
	 */
	int awaitEnd() throws IOException, InterruptedException {
		assertThat(this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("its end, after %s", output())
			.isTrue();
		return this.process.exitValue();
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

}
