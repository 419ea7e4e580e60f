package dev.jobs.audit;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import dev.jobs.JobRejectedException;
import dev.jobs.store.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.StringUtils;

/**
 * Tells who did what to which jobs: in lines of the log that name the id of every job
 * that was changed, and in one {@link OperatorActEvent}. Lines are written while an act
 * goes on, so one on many jobs that breaks off, or whose process dies, has told what it
 * had changed by then.
 */
public final class Audit {

	private static final Logger logger = LoggerFactory.getLogger(Audit.class);

	/** No line tells more ids, nor more characters of them but for its last id. */
	private static final int MOST_IDS = 100;

	private static final int LONGEST_IDS = 4000;

	private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	private static final Pattern BARE = Pattern.compile("[A-Za-z0-9._:/@#+-]+");

	private final InstantSource clock;

	private final ApplicationEventPublisher publisher;

	private final Refusals refusals;

	/**
	 * Create an audit.
	 * @param clock the time
	 * @param publisher who hears of each act
	 */
	public Audit(InstantSource clock, ApplicationEventPublisher publisher) {
		this.clock = clock;
		this.publisher = publisher;
		this.refusals = new Refusals(clock, publisher);
	}

	/**
	 * Do something, and tell of it once it is done or has broken off. What is refused
	 * with a {@link JobRejectedException} was not done.
	 * @param operator who does it
	 * @param act what is done, in one word
	 * @param target what it is done to
	 * @param deed does it, and tells the id of each job it has changed
	 * @return how many jobs were changed
	 */
	public int tell(Operator operator, String act, String target, Consumer<Consumer<String>> deed) {
		return tell(new Account(operator, act, target, true), deed);
	}

	/**
	 * Do something to a queue or a schedule, and tell of it likewise.
	 * @param operator who does it
	 * @param act what is done, in one word
	 * @param target what it is done to
	 * @param deed does it
	 */
	public void tell(Operator operator, String act, String target, Runnable deed) {
		tell(new Account(operator, act, target, false), (changed) -> deed.run());
	}

	private static int tell(Account account, Consumer<Consumer<String>> deed) {
		try {
			deed.accept(account::changed);
		}
		catch (JobRejectedException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			account.brokeOff(ex);
			throw ex;
		}
		return account.done();
	}

	/**
	 * Tell of an act that was refused: in a line of the log and, if the operator had no
	 * right to it, in an {@link OperatorRefusalEvent}. Of a flood only some are told one
	 * by one.
	 * @param operator who asked for it
	 * @param isUser whether the operator is a user whom the application knows
	 * @param refused what was refused
	 */
	public void tell(Operator operator, boolean isUser, Refused refused) {
		this.refusals.tell(operator, isUser, refused);
	}

	/**
	 * Return a text for a line of the log, which it must not end.
	 * @param text the text, from anywhere
	 * @return the text in one line
	 */
	public static String plain(String text) {
		return UNPRINTABLE.matcher(text).replaceAll("?");
	}

	/**
	 * Return an id so that it cannot be taken for several.
	 */
	private static String distinct(String id) {
		return BARE.matcher(id).matches() ? id : '"' + plain(id).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

	/**
	 * Who does something.
	 *
	 * @param surface where, such as {@code dashboard}
	 * @param name the user's name, or what is known instead
	 */
	public record Operator(String surface, String name) {

	}

	/**
	 * An act that was refused.
	 *
	 * @param act what was asked for
	 * @param wish what was sent along
	 * @param reason why it was refused
	 * @param forbidden whether the operator had no right to it
	 */
	public record Refused(String act, String wish, String reason, boolean forbidden) {

	}

	/**
	 * What is told of one act.
	 */
	private final class Account {

		private final Operator operator;

		private final String act;

		private final String target;

		private final String begin;

		private final List<String> jobs = new ArrayList<>();

		private final StringBuilder line = new StringBuilder();

		private final boolean ofJobs;

		private int inLine;

		Account(Operator operator, String act, String target, boolean ofJobs) {
			this.operator = operator;
			this.ofJobs = ofJobs;
			this.act = act;
			this.target = target;
			this.begin = plain(StringUtils.capitalize(operator.surface()) + ": " + operator.name() + " did " + act
					+ " on " + target);
		}

		void changed(String job) {
			if (this.inLine == MOST_IDS || this.line.length() >= LONGEST_IDS) {
				logger.info("{}: changed {} and more", this.begin, this.line);
				this.line.setLength(0);
				this.inLine = 0;
			}
			this.jobs.add(job);
			this.line.append((this.inLine > 0) ? ", " : "").append(distinct(job));
			this.inLine++;
		}

		int done() {
			logger.info("{}{}", this.begin, told());
			publish(true);
			return this.jobs.size();
		}

		void brokeOff(RuntimeException ex) {
			logger.warn("{}{}, but then it failed, perhaps with more changed: {}", this.begin, told(),
					plain(String.valueOf(ex.getMessage())));
			publish(false);
		}

		private String told() {
			if (!this.ofJobs) {
				return "";
			}
			int count = this.jobs.size();
			return ": " + count + ((count == 1) ? " job changed" : " jobs changed")
					+ ((this.inLine < count) ? ", the last of them " : ((count > 0) ? ": " : "")) + this.line;
		}

		/** A listener that fails does not undo what was done. */
		private void publish(boolean complete) {
			try {
				Audit.this.publisher.publishEvent(new OperatorActEvent(Audit.this.clock.instant(),
						this.operator.surface(), this.operator.name(), this.act, this.target, this.jobs, complete));
			}
			catch (RuntimeException ex) {
				logger.warn("{}: a listener failed to take note of it", this.begin, ErrorText.loggable(ex));
			}
		}

	}

}
