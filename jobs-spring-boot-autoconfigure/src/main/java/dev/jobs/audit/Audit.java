package dev.jobs.audit;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.JobRejectedException;
import dev.jobs.Note;
import dev.jobs.UnknownNameException;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.StringUtils;

/**
 * Records who did what to which jobs: in the log, with the id of every changed job, in
 * one {@link OperatorActionEvent} and in a {@linkplain dev.jobs.Note note} without the
 * ids, which the store keeps. The log is written while an action runs, so an action on
 * many jobs that fails half-way, or whose process dies, has recorded its changes so far.
 */
public final class Audit {

	/** The end of the note of an action that failed half-way. */
	public static final String FAILED = ", but then it failed";

	private static final Logger logger = LoggerFactory.getLogger(Audit.class);

	/**
	 * The most ids in a log line, and the most characters of them, except for the last
	 * id.
	 */
	private static final int MOST_IDS = 100;

	private static final int LONGEST_IDS = 4000;

	private static final Set<Class<?>> REFUSALS = Set.of(JobRejectedException.class, UnknownNameException.class,
			IllegalArgumentException.class, IllegalStateException.class);

	private final InstantSource clock;

	private final ApplicationEventPublisher publisher;

	private final Consumer<String> notes;

	private final Refusals refusals;

	/**
	 * Create an audit.
	 * @param clock the time
	 * @param publisher publishes the events
	 * @param notes keeps the notes
	 */
	public Audit(InstantSource clock, ApplicationEventPublisher publisher, Consumer<String> notes) {
		this.clock = clock;
		this.publisher = publisher;
		this.notes = notes;
		this.refusals = new Refusals(clock, publisher);
	}

	/**
	 * Do something and record it, whether it succeeds or fails half-way. An action that
	 * the operations refuse is not recorded, since nothing was done.
	 * @param operator who does it
	 * @param action what is done, in one word
	 * @param target what it is done to, with names and errors {@linkplain LogText#quoted
	 * quoted}
	 * @param deed does it, and reports the id of each changed job
	 * @return how many jobs were changed
	 */
	public int record(Operator operator, String action, String target, Consumer<Consumer<String>> deed) {
		return record(new Account(operator, action, target, true), deed);
	}

	/**
	 * Do something to a queue or a schedule and record it.
	 * @param operator who does it
	 * @param action what is done, in one word
	 * @param target what it is done to, with names and errors {@linkplain LogText#quoted
	 * quoted}
	 * @param deed does it
	 */
	public void record(Operator operator, String action, String target, Runnable deed) {
		record(new Account(operator, action, target, false), (changed) -> deed.run());
	}

	/**
	 * Record an action that consists only of its note. It fails if the store does not
	 * keep the note.
	 * @param operator who does it
	 * @param action what is done, in one word
	 * @param target what it is done to, with names and errors {@linkplain LogText#quoted
	 * quoted}
	 */
	public void record(Operator operator, String action, String target) {
		Account account = new Account(operator, action, target, false);
		account.isNote = true;
		record(account, (changed) -> account.keepNote(""));
	}

	private static int record(Account account, Consumer<Consumer<String>> deed) {
		try {
			deed.accept(account::changed);
		}
		catch (RuntimeException ex) {
			if (!account.jobs.isEmpty() || REFUSALS.stream().noneMatch((type) -> type.isInstance(ex))) {
				account.brokeOff(ex);
			}
			throw ex;
		}
		return account.done();
	}

	/**
	 * Record a refused action: in the log and, if the operator had no right to it, in an
	 * {@link OperatorRefusalEvent}. In a flood only some are recorded one by one.
	 * @param operator who asked for it
	 * @param isUser whether the operator is a user whom the application knows
	 * @param refused what was refused
	 */
	public void record(Operator operator, boolean isUser, RefusedAction refused) {
		this.refusals.record(operator, isUser, refused);
	}

	/**
	 * The record of one action.
	 */
	private final class Account {

		private final Operator operator;

		private final String action;

		private final String target;

		private final String begin;

		private final List<String> jobs = new ArrayList<>();

		private final StringBuilder line = new StringBuilder();

		private final boolean ofJobs;

		private int inLine;

		private boolean isNote;

		Account(Operator operator, String action, String target, boolean ofJobs) {
			this.operator = operator;
			this.ofJobs = ofJobs;
			this.action = action;
			this.target = target;
			this.begin = LogText.plain(StringUtils.capitalize(operator.surface()) + ": " + action + " by "
					+ LogText.quoted(operator.name()) + ": " + target);
		}

		void changed(String job) {
			if (this.inLine == MOST_IDS || this.line.length() >= LONGEST_IDS) {
				logger.info("{}, changed {} and more", this.begin, this.line);
				this.line.setLength(0);
				this.inLine = 0;
			}
			this.jobs.add(job);
			this.line.append((this.inLine > 0) ? ", " : "").append(LogText.quoted(job));
			this.inLine++;
		}

		int done() {
			logger.info("{}{}", this.begin, summary());
			if (!this.ofJobs || !this.jobs.isEmpty()) {
				note("");
			}
			publish(true);
			return this.jobs.size();
		}

		void brokeOff(RuntimeException ex) {
			logger.warn("{}{}{}, perhaps with more changed: {}", this.begin, summary(), FAILED,
					LogText.plain(String.valueOf(ex.getMessage())));
			note(FAILED);
			publish(false);
		}

		private String summary() {
			if (!this.ofJobs) {
				return "";
			}
			int count = this.jobs.size();
			return changed() + ((this.inLine < count) ? ", the last of them " : ((count > 0) ? ": " : "")) + this.line;
		}

		private String changed() {
			return this.ofJobs ? ", " + this.jobs.size() + " changed" : "";
		}

		/** If the store is out of reach by now, the log has the action already. */
		private void note(String end) {
			try {
				if (!this.isNote) {
					keepNote(end);
				}
			}
			catch (RuntimeException ex) {
				logger.warn("{}: the store did not keep it for the page Activity: {}", this.begin, ErrorText.of(ex));
			}
		}

		/** The end of a long note is kept, since it has the outcome. */
		private void keepNote(String end) {
			String rest = changed() + end;
			Audit.this.notes.accept(ErrorText.clean(this.begin, Note.LONGEST - rest.length()) + rest);
		}

		/** A listener that fails does not undo the action. */
		private void publish(boolean complete) {
			try {
				Audit.this.publisher.publishEvent(new OperatorActionEvent(Audit.this.clock.instant(),
						this.operator.surface(), this.operator.name(), this.action, this.target, this.jobs, complete));
			}
			catch (RuntimeException ex) {
				logger.warn("{}: a listener failed to handle it", this.begin, ErrorText.loggable(ex));
			}
		}

	}

}
