package dev.jobs.audit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.StringUtils;

/**
 * Records refused actions. Anyone who can reach a surface can cause any number of
 * refusals, so in each minute only some are recorded one by one, and the others are
 * counted; strangers do not use up the share of users.
 */
final class Refusals {

	/** How many refusals per minute are recorded one by one. */
	static final int MOST = 20;

	private static final Logger logger = LoggerFactory.getLogger(Refusals.class);

	private static final int LONGEST_ACTION = 50;

	private static final int LONGEST_WISH = 500;

	private final InstantSource clock;

	private final ApplicationEventPublisher publisher;

	private final Minute ofUsers = new Minute();

	private final Minute ofStrangers = new Minute();

	Refusals(InstantSource clock, ApplicationEventPublisher publisher) {
		this.clock = clock;
		this.publisher = publisher;
	}

	void record(Operator operator, boolean isUser, RefusedAction refused) {
		Minute minute = isUser ? this.ofUsers : this.ofStrangers;
		Instant now = this.clock.instant();
		String surface = StringUtils.capitalize(operator.surface());
		int unlogged = minute.begun(now);
		if (unlogged > 0) {
			logger.warn("{}: {} more refused actions were not logged one by one", surface, unlogged);
		}
		if (!minute.hasRoom()) {
			return;
		}
		String action = beginning(refused.action(), LONGEST_ACTION);
		String wish = beginning(refused.wish(), LONGEST_WISH);
		logger.warn("{}: refused {} by {} on {}: {}", surface, LogText.quoted(action), LogText.quoted(operator.name()),
				LogText.quoted(wish), LogText.plain(refused.reason()));
		if (refused.forbidden()) {
			publish(new OperatorRefusalEvent(now, operator.surface(), operator.name(), action, wish, refused.reason()));
		}
	}

	private static String beginning(String text, int longest) {
		return (text.length() > longest) ? text.substring(0, longest) : text;
	}

	/** A listener that fails does not change the answer. */
	private void publish(OperatorRefusalEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (RuntimeException ex) {
			logger.warn("{}: a listener failed to handle a refused action", StringUtils.capitalize(event.surface()),
					ErrorText.loggable(ex));
		}
	}

	/**
	 * The refusals of a minute.
	 */
	private static final class Minute {

		private Instant end = Instant.MIN;

		private int refused;

		/**
		 * Start again once the minute is over.
		 * @return how many refusals of the last minute were only counted
		 */
		synchronized int begun(Instant now) {
			if (now.isBefore(this.end)) {
				return 0;
			}
			int unlogged = Math.max(this.refused - MOST, 0);
			this.end = now.plus(Duration.ofMinutes(1));
			this.refused = 0;
			return unlogged;
		}

		synchronized boolean hasRoom() {
			this.refused++;
			return this.refused <= MOST;
		}

	}

}
