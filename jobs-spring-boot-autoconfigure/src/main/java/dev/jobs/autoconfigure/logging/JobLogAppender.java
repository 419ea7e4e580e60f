package dev.jobs.autoconfigure.logging;

import java.time.Instant;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.context.LogContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Passes the log lines of handlers to the engine. The MDC identifies the run of a line,
 * so lines of other threads count if the MDC was passed on to them.
 */
final class JobLogAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
		implements SmartInitializingSingleton, DisposableBean {

	private static final String OWN_LOGGERS = JobEngine.class.getPackageName() + ".";

	private final ObjectProvider<JobEngine> engines;

	private @Nullable JobEngine engine;

	private final LoggerContextListener reattaching = new Reattaching();

	JobLogAppender(ObjectProvider<JobEngine> engines) {
		this.engines = engines;
		setName("jobs");
	}

	/**
	 * Get the engine only now, so that its faults are not blamed on this bean.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.engine = this.engines.getObject();
		ILoggerFactory factory = LoggerFactory.getILoggerFactory();
		if (factory instanceof LoggerContext loggers) {
			setContext(loggers);
			attach(loggers);
			loggers.addListener(this.reattaching);
		}
	}

	private void attach(LoggerContext loggers) {
		start();
		loggers.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(this);
	}

	@Override
	public void destroy() {
		if (LoggerFactory.getILoggerFactory() instanceof LoggerContext loggers) {
			loggers.removeListener(this.reattaching);
			loggers.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(this);
		}
		stop();
	}

	@Override
	protected void append(ILoggingEvent event) {
		String jobId = event.getMDCPropertyMap().get(LogContext.JOB_ID);
		String token = event.getMDCPropertyMap().get(LogContext.TOKEN);
		if (this.engine != null && jobId != null && token != null && !event.getLoggerName().startsWith(OWN_LOGGERS)) {
			this.engine.logged(jobId, token, line(event));
		}
	}

	private static String line(ILoggingEvent event) {
		String logger = event.getLoggerName();
		StringBuilder line = new StringBuilder().append(Instant.ofEpochMilli(event.getTimeStamp()))
			.append(' ')
			.append(event.getLevel())
			.append(' ')
			.append(logger, logger.lastIndexOf('.') + 1, logger.length())
			.append(": ")
			.append(event.getFormattedMessage());
		IThrowableProxy thrown = event.getThrowableProxy();
		if (thrown != null) {
			line.append(" (").append(thrown.getClassName()).append(": ").append(thrown.getMessage()).append(')');
		}
		return line.toString();
	}

	/**
	 * Attaches the appender again after the configuration was reloaded, which removes all
	 * appenders.
	 */
	private final class Reattaching implements LoggerContextListener {

		@Override
		public boolean isResetResistant() {
			return true;
		}

		@Override
		public void onStart(LoggerContext loggers) {
		}

		@Override
		public void onReset(LoggerContext loggers) {
			attach(loggers);
		}

		@Override
		public void onStop(LoggerContext loggers) {
			stop();
		}

		@Override
		public void onLevelChange(ch.qos.logback.classic.Logger logger, Level level) {
		}

	}

}
