package dev.jobs.store.contract.process;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * The lines that an application would log that uses Spring Boot and sets no levels: all
 * at INFO and above, of libraries as well. Tests log less. Until it is closed, the levels
 * are those of the application.
 */
public final class ApplicationLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	/** What servers write that a test has started. */
	private static final Pattern OF_SERVERS = Pattern.compile("(io\\.zonky|redis\\.embedded)\\.");

	private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();

	private final Queue<ILoggingEvent> lines = new ConcurrentLinkedQueue<>();

	/** The levels that were set, by the names of their loggers. */
	private final Map<String, Level> levels = this.context.getLoggerList()
		.stream()
		.filter((logger) -> logger.getLevel() != null)
		.collect(Collectors.toMap(Logger::getName, Logger::getLevel));

	private final List<Logger> tops = this.context.getLoggerList()
		.stream()
		.filter((logger) -> logger.getName().equals(Logger.ROOT_LOGGER_NAME) || !logger.isAdditive())
		.toList();

	private final long begun = System.nanoTime();

	public ApplicationLog() {
		start();
		this.levels.keySet()
			.forEach((name) -> this.context.getLogger(name)
				.setLevel(name.equals(Logger.ROOT_LOGGER_NAME) ? Level.INFO : null));
		this.tops.forEach((top) -> top.addAppender(this));
	}

	@Override
	protected void append(ILoggingEvent line) {
		if (line.getLevel().isGreaterOrEqual(Level.INFO) && !OF_SERVERS.matcher(line.getLoggerName()).lookingAt()) {
			this.lines.add(line);
		}
	}

	public List<ILoggingEvent> lines() {
		return List.copyOf(this.lines);
	}

	/**
	 * Return how many lines a minute there have been, as if the first minute were over.
	 * @return the rate
	 */
	public double perMinute() {
		return perMinute((line) -> true);
	}

	/**
	 * Return how many lines of some kind there have been a minute.
	 * @param counted whether a line counts
	 * @return the rate
	 */
	public double perMinute(Predicate<String> counted) {
		double minutes = (System.nanoTime() - this.begun) / (double) TimeUnit.MINUTES.toNanos(1);
		return this.lines.stream().map(ILoggingEvent::toString).filter(counted).count() / Math.max(minutes, 1);
	}

	@Override
	public void close() {
		this.tops.forEach((top) -> top.detachAppender(this));
		this.levels.forEach((name, level) -> this.context.getLogger(name).setLevel(level));
	}

}
