package dev.jobs.build;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Writes which tests began and how they ended to a file below {@code target/test-record},
 * one line each: what happened, the class that ran, the class that declares the method,
 * and the method. A nested class is named with the one that ran it, though it be declared
 * in another, for reports by declared classes overwrite each other. {@code .ci/ran} reads
 * the files.
 */
public final class TestRecord implements TestExecutionListener {

	private static final Path FOLDER = Path.of("target", "test-record");

	private static @Nullable PrintStream file;

	@Override
	public void executionStarted(TestIdentifier test) {
		write("began", test);
	}

	@Override
	public void executionSkipped(TestIdentifier test, String reason) {
		write("skipped", test);
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		write((result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) ? "passed" : "failed", test);
	}

	private static void write(String event, TestIdentifier test) {
		TestSource source = test.getSource().orElse(null);
		if (test.isTest() && source instanceof MethodSource method) {
			write(String.join(" ", event, classOf(test.getUniqueIdObject()), declaring(method),
					method.getMethodName()));
		}
	}

	private static String declaring(MethodSource source) {
		Method method = source.getJavaMethod();
		return method.getDeclaringClass().getName();
	}

	/**
	 * Return the class that ran with the nested ones in which the test is.
	 */
	private static String classOf(UniqueId id) {
		return id.getSegments()
			.stream()
			.filter((segment) -> segment.getType().endsWith("class"))
			.map(UniqueId.Segment::getValue)
			.collect(Collectors.joining("$"));
	}

	private static synchronized void write(String line) {
		if (file == null) {
			file = open();
		}
		file.println(line);
	}

	/**
	 * Each JVM writes a file of its own, at once, since it may be killed.
	 */
	private static PrintStream open() {
		try {
			Files.createDirectories(FOLDER);
			return new PrintStream(Files.newOutputStream(Files.createTempFile(FOLDER, "", ".txt")), true);
		}
		catch (IOException ex) {
			throw new IllegalStateException("The tests that run cannot be written down", ex);
		}
	}

}
