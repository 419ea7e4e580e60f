package dev.jobs.test;

import java.util.regex.Pattern;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import org.jspecify.annotations.Nullable;

/**
 * An appender of Logback that passes faults on to the {@link FaultWatch}. It belongs to
 * the logger {@code dev.jobs}, whose level must be {@code WARN} or lower.
 * <p>
 * A fault is an error, a warning with an exception, or a warning whose text names an
 * exception of Java itself, as a broken engine throws it. An exception of a handler is
 * not a fault, nor is a store that is closed or out of reach for a while.
 */
public final class FaultAppender extends AppenderBase<ILoggingEvent> {

	private static final String ABOUT_A_JOB = "Job '";

	private static final Pattern EXCEPTION_OF_JAVA = Pattern
		.compile("\\bjava\\.(lang|util)\\.[A-Z]\\w*(Exception|Error)");

	/**
	 * The messages for a loop whose application closed its client before the loop ended.
	 */
	private static final Pattern OF_A_CLOSED_CLIENT = Pattern
		.compile("executor group is terminated|cannot be started once stopped|(has been|is) (closed|shut down)");

	/**
	 * Create an appender.
	 */
	public FaultAppender() {
	}

	@Override
	protected void append(ILoggingEvent event) {
		if (isFault(event)) {
			FaultWatch.noticed(textOf(event), thrownWith(event));
		}
	}

	private static boolean isFault(ILoggingEvent event) {
		if (!event.getLevel().isGreaterOrEqual(Level.WARN) || event.getMessage().startsWith(ABOUT_A_JOB)) {
			return false;
		}
		if (event.getLevel() == Level.ERROR) {
			return true;
		}
		String text = textOf(event);
		return (event.getThrowableProxy() != null || EXCEPTION_OF_JAVA.matcher(text).find())
				&& !OF_A_CLOSED_CLIENT.matcher(text).find();
	}

	private static String textOf(ILoggingEvent event) {
		IThrowableProxy thrown = event.getThrowableProxy();
		String text = event.getLevel() + " [" + event.getThreadName() + "] " + event.getLoggerName() + ": "
				+ event.getFormattedMessage();
		return (thrown != null) ? text + ": " + thrown.getClassName() + ": " + thrown.getMessage() : text;
	}

	private static @Nullable Throwable thrownWith(ILoggingEvent event) {
		return (event.getThrowableProxy() instanceof ThrowableProxy proxy) ? proxy.getThrowable() : null;
	}

}
