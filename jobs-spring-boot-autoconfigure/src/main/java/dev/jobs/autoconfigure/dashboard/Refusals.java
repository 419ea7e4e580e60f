package dev.jobs.autoconfigure.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import dev.jobs.audit.Audit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.HttpStatus;

/**
 * Tells of acts that were refused. Whoever can reach the dashboard can have any number of
 * them refused, so only some of each minute are told one by one, and the others counted;
 * strangers take nothing from what is told of users.
 */
final class Refusals {

	/** How many refusals of a minute are told one by one. */
	static final int MOST = 20;

	private static final Logger logger = LoggerFactory.getLogger(Refusals.class);

	private final InstantSource clock;

	private final ApplicationEventPublisher publisher;

	private final Minute ofUsers = new Minute();

	private final Minute ofStrangers = new Minute();

	Refusals(InstantSource clock, ApplicationEventPublisher publisher) {
		this.clock = clock;
		this.publisher = publisher;
	}

	void tell(DashboardRequest request, String act, RefusedException refusal) {
		Minute minute = (request.caller().name() != null) ? this.ofUsers : this.ofStrangers;
		Instant now = this.clock.instant();
		int untold = minute.begun(now);
		if (untold > 0) {
			logger.warn("Dashboard: refused {} more acts, which are not told one by one", untold);
		}
		if (!minute.hasRoom()) {
			return;
		}
		String user = request.caller().shownName();
		String wish = Acts.told(request);
		logger.warn("Dashboard: refused {} to {} on {}: {}", act, Audit.plain(user), Audit.plain(wish),
				refusal.getMessage());
		if (refusal.getStatus() == HttpStatus.FORBIDDEN) {
			publish(new DashboardRefusalEvent(now, user, act, wish, refusal.getMessage()));
		}
	}

	/** A listener that fails does not make the refusal another answer. */
	private void publish(DashboardRefusalEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (RuntimeException ex) {
			logger.warn("Dashboard: a listener failed to take note of a refused act", ex);
		}
	}

	/**
	 * What was refused within a minute.
	 */
	private static final class Minute {

		private Instant end = Instant.MIN;

		private int refused;

		/**
		 * Begin anew once the minute is over.
		 * @return how many refusals of the former one were not told one by one
		 */
		synchronized int begun(Instant now) {
			if (now.isBefore(this.end)) {
				return 0;
			}
			int untold = Math.max(this.refused - MOST, 0);
			this.end = now.plus(Duration.ofMinutes(1));
			this.refused = 0;
			return untold;
		}

		synchronized boolean hasRoom() {
			this.refused++;
			return this.refused <= MOST;
		}

	}

}
