package dev.jobs.autoconfigure.properties;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.jobs.Backoff;
import dev.jobs.EnqueueOptions;
import dev.jobs.HandlerOptions;
import dev.jobs.HandlerOptions.OnDead;
import dev.jobs.OnExpiry;
import dev.jobs.Rate;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.OnException;
import dev.jobs.Unique;
import dev.jobs.Urgency;
import dev.jobs.autoconfigure.properties.Option.Scope;
import dev.jobs.cron.Misfire;
import dev.jobs.engine.settings.HandlerDefinition;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * The settings for enqueueing and running jobs in one place: below {@code
 * jobs.handlers.<name>}, in the annotation of a handler or below {@code jobs.defaults}. A
 * setting that is missing there is {@code null}.
 *
 * @param enabled Whether the handler runs jobs here. If not, its jobs wait for other
 * workers.
 * @param aliases Former names, whose waiting jobs the handler still runs.
 * @param cron Expression by which the job is enqueued without payload; none if empty or
 * '-'.
 * @param zone Time zone of the cron expression.
 * @param misfire What happens to ticks missed while no worker was up: 'skip', 'run-once'
 * or 'run-all:10'.
 * @param priority Weight among the jobs of a pool, from 1 to 100000.
 * @param maxAttempts How often a job may run before it is dead.
 * @param timeout How long one run may take; 0 for any time.
 * @param maxConcurrency How many jobs of one name may run at once on all workers; 0 for
 * no limit.
 * @param localConcurrency How many jobs of one name may run at once in this process; 0
 * for no limit.
 * @param rate How many jobs of one name may start in any window on all workers, such as
 * '100/1m', or '100/1m burst 10' to spread them; 'none' for any number.
 * @param lanes What holds for each lane of a queue.
 * @param maxWaiting How many jobs of one name may wait at once; 0 for no bound.
 * @param waitForRoom How long an enqueue waits while as many jobs wait as may, before the
 * job is rejected.
 * @param expiresIn How long after it is due a job may start; 0 for no bound.
 * @param deadlineIn How long after it is due a job must have ended; 0 for no bound.
 * @param onExpiry What becomes of a job that is not started in time.
 * @param unique Which jobs count as equal, so that the second is not enqueued.
 * @param tags Tags of all jobs, by which operators find them.
 * @param urgency How soon jobs start among those of one name.
 * @param keepHistory Whether jobs that succeeded or were cancelled are kept for a while.
 * @param keepResult How long the end of a job is kept, with the value that it returned; 0
 * to keep nothing.
 * @param keepDead Whether jobs that have used up their attempts are kept. If not, they
 * are dropped.
 * @param onException What an exception leads to.
 * @param noRetryFor Types of exceptions after which a job is dead at once. The thrown
 * exception counts, not its causes.
 * @param backoff How long to wait between attempts.
 * @param snoozeDelay How soon a job that was snoozed without a time may run again.
 * @param maxCrashes How often the process may die after it has started a suspect, a job
 * abandoned twice before, until the job is dead.
 * @param transactional Whether a run is a transaction that is committed together with the
 * end of its job.
 */
public record HandlerSettings(@Option(scope = Scope.ONE_HANDLER) @Nullable Boolean enabled,
		@Option(scope = Scope.ONE_HANDLER) @Nullable List<String> aliases,
		@Option(scope = Scope.ONE_HANDLER) @Nullable String cron, @Option @Nullable ZoneId zone,
		@Option @Nullable String misfire, @Option(least = 1, most = 100_000) @Nullable Integer priority,
		@Option(least = 1) @Nullable Integer maxAttempts, @Option @Nullable Duration timeout,
		@Option @Nullable Integer maxConcurrency, @Option @Nullable Integer localConcurrency,
		@Option @Nullable String rate, @Option @Nullable LaneSettings lanes,
		@Option(scope = Scope.ENQUEUE) @Nullable Integer maxWaiting,
		@Option(scope = Scope.ENQUEUE) @Nullable Duration waitForRoom,
		@Option(scope = Scope.ENQUEUE) @Nullable Duration expiresIn,
		@Option(scope = Scope.ENQUEUE) @Nullable Duration deadlineIn,
		@Option(scope = Scope.ENQUEUE) @Nullable OnExpiry onExpiry,
		@Option(scope = Scope.ENQUEUE) @Nullable UniqueSettings unique,
		@Option(scope = Scope.ENQUEUE) @Nullable List<String> tags,
		@Option(scope = Scope.ENQUEUE) @Nullable Urgency urgency, @Option @Nullable Boolean keepHistory,
		@Option @Nullable Duration keepResult, @Option @Nullable Boolean keepDead,
		@Option @Nullable OnException onException, @Option @Nullable List<Class<? extends Throwable>> noRetryFor,
		@Option @Nullable BackoffSettings backoff, @Option @Nullable Duration snoozeDelay,
		@Option(least = 1) @Nullable Integer maxCrashes,
		@Option @Nullable Boolean transactional) implements OptionLayer<HandlerSettings> {

	/** The layer in which nothing is set. */
	public static final HandlerSettings UNSET = new HandlerSettings(null, null, null, null, null, null, null, null,
			null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
			null, null, null);

	/**
	 * Return the options of the handler, with the engine's defaults for unset ones.
	 * @param backoff how long to wait between attempts
	 * @return the options
	 */
	public HandlerOptions options(Backoff backoff) {
		return HandlerOptions.of((options) -> {
			options.retry((policy) -> setOn(policy.backoff(backoff)));
			set(this.priority, options::priority);
			set(positiveOrNull(this.timeout), options::timeout);
			set(this.maxConcurrency, options::maxConcurrency);
			set(this.localConcurrency, options::localConcurrency);
			set(this.lanes, (lanes) -> lanes.applyTo(options));
			set(this.rate, (rate) -> options.rate(rateOf(rate)));
			set(this.keepHistory, options::keepHistory);
			set(this.keepResult, options::keepResult);
			set(this.transactional, options::transactional);
		});
	}

	private static @Nullable Rate rateOf(String text) {
		return text.equals("none") ? null : Rate.parse(text);
	}

	private void setOn(RetryPolicy.Builder policy) {
		set(this.maxAttempts, policy::maxAttempts);
		set(this.keepDead, policy::keepDead);
		set(this.onException, policy::onException);
		set(this.noRetryFor,
				(types) -> policy.noRetryFor((ex) -> types.stream().anyMatch((type) -> type.isInstance(ex))));
		set(this.snoozeDelay, policy::snoozeDelay);
		set(this.maxCrashes, policy::maxCrashes);
	}

	private static <T> void set(@Nullable T value, Consumer<T> option) {
		if (value != null) {
			option.accept(value);
		}
	}

	/**
	 * Return the settings for enqueueing the jobs.
	 * @param all these settings and weaker ones, which complete groups of options that
	 * are partly set here
	 * @return the rule
	 */
	public EnqueueOptions rule(HandlerSettings all) {
		return EnqueueOptions.of((rule) -> {
			if (this.unique != null && all.unique != null) {
				all.unique.applyTo(rule);
			}
			set(this.maxWaiting, rule::maxWaiting);
			set((this.lanes != null) ? this.lanes.maxWaiting : null, rule::maxWaitingInLane);
			set(this.waitForRoom, rule::waitForRoom);
			set(this.expiresIn, rule::expiresIn);
			set(this.deadlineIn, rule::deadlineIn);
			set(this.onExpiry, rule::onExpiry);
			set(this.tags, rule::tags);
			set(this.urgency, rule::urgency);
		});
	}

	/**
	 * Return whether anything is set that only a handler uses.
	 * @return whether it is
	 */
	public boolean isAboutRuns() {
		return setOptions((option) -> option.scope() != Scope.ENQUEUE).findAny().isPresent();
	}

	/**
	 * Return whether the handler runs jobs here.
	 * @return whether it does
	 */
	public boolean isEnabled() {
		return !Boolean.FALSE.equals(this.enabled);
	}

	/**
	 * Return whether a bean is the backoff here.
	 * @param name the name of the bean
	 * @return whether it is
	 */
	public boolean hasBackoffBean(String name) {
		return this.backoff != null && name.equals(this.backoff.bean);
	}

	/**
	 * Return what becomes of missed ticks.
	 * @return the rule
	 * @throws IllegalArgumentException if there is no such rule
	 */
	public Misfire misfireRule() {
		return Misfire.parse(Objects.requireNonNullElse(this.misfire, "run-once"));
	}

	/**
	 * Return the time zone of the cron expression.
	 * @return the zone, UTC if none is set
	 */
	public ZoneId zoneOrUtc() {
		return Objects.requireNonNullElse(this.zone, ZoneId.of("UTC"));
	}

	/**
	 * Return these settings without values that are not accepted, which are reported with
	 * their properties.
	 * @return the other settings
	 */
	public HandlerSettings accepted() {
		Set<String> rejected = new HashSet<>();
		check((option, accepted) -> rejected.add(option));
		return rejected.isEmpty() ? this : without(rejected);
	}

	/**
	 * Find values that are not accepted.
	 * @param reject takes the path of each such option, and the accepted values
	 */
	void check(BiConsumer<String, String> reject) {
		outOfRange().forEach((option) -> reject.accept(option.path(), option.accepted()));
		checkTexts(reject);
	}

	/**
	 * Find texts, lists and long times that are not accepted.
	 * @param reject takes the path of each such option, and the mistake
	 */
	void checkTexts(BiConsumer<String, String> reject) {
		if (this.aliases != null) {
			this.aliases.forEach((alias) -> check("aliases", reject, () -> HandlerDefinition.requireValidName(alias)));
		}
		if (this.tags != null) {
			check("tags", reject, () -> EnqueueOptions.of((set) -> set.tags(this.tags)));
		}
		if (this.cron != null && !Recurrence.isDisabled(this.cron)) {
			check("cron", reject, () -> Recurrence.schedule(this.cron, ZoneOffset.UTC));
		}
		if (this.lanes != null) {
			check("lanes.weights", reject, this.lanes::checkWeights);
		}
		check("misfire", reject, this::misfireRule);
		if (this.keepResult != null && !this.keepResult.isNegative()) {
			check("keepResult", reject, () -> HandlerOptions.of((set) -> set.keepResult(this.keepResult)));
		}
		set(this.rate, (rate) -> check("rate", reject, () -> rateOf(rate)));
		set((this.lanes != null) ? this.lanes.rate : null, (rate) -> check("lanes.rate", reject, () -> rateOf(rate)));
	}

	private static void check(String path, BiConsumer<String, String> reject, Runnable attempt) {
		try {
			attempt.run();
		}
		catch (IllegalArgumentException ex) {
			reject.accept(path, String.valueOf(ex.getMessage()));
		}
	}

	private static @Nullable Duration positiveOrNull(@Nullable Duration duration) {
		return (duration == null || duration.isZero()) ? null : duration;
	}

	/**
	 * What holds for each lane of a queue.
	 *
	 * @param maxConcurrency How many jobs of a lane may run at once on all workers; 0 for
	 * no limit.
	 * @param ordered Whether the jobs of a lane run strictly one after the other, through
	 * all retries.
	 * @param onDead What becomes of an ordered lane whose job is dead.
	 * @param rate How many jobs of a lane may start in any window on all workers, such as
	 * '10/1s'; 'none' for any number.
	 * @param maxWaiting How many jobs of a lane may wait at once, those that are due
	 * later not counted; 0 for no bound.
	 * @param weights How many jobs some lanes give for each one of another lane, from 1
	 * to 100, such as 'tenant:gold=4'.
	 */
	public record LaneSettings(@Option @Nullable Integer maxConcurrency, @Option @Nullable Boolean ordered,
			@Option @Nullable OnDead onDead, @Option @Nullable String rate,
			@Option(scope = Scope.ENQUEUE) @Nullable Integer maxWaiting,
			@Option @Nullable List<String> weights) implements OptionLayer<LaneSettings> {

		private static final int MOST_WEIGHTS = 100;

		private void applyTo(HandlerOptions.Builder options) {
			set(this.maxConcurrency, options::laneConcurrency);
			set(this.ordered, options::orderedLanes);
			set(this.onDead, options::onDeadInLane);
			set(this.rate, (rate) -> options.laneRate(rateOf(rate)));
			set(this.weights, (weights) -> options.laneWeights(byLane(weights)));
		}

		private void checkWeights() {
			if (this.weights != null && this.weights.size() > MOST_WEIGHTS) {
				throw new IllegalArgumentException("At most " + MOST_WEIGHTS + " lanes can have a weight");
			}
			HandlerOptions.of(this::applyTo);
		}

		private static Map<String, Integer> byLane(List<String> weights) {
			Map<String, Integer> byLane = new HashMap<>();
			for (String weight : weights) {
				int end = weight.lastIndexOf('=');
				String number = weight.substring(end + 1).strip();
				if (end < 1 || !number.matches("[0-9]{1,3}")) {
					throw new IllegalArgumentException(
							"A weight must be a lane, '=' and a number, such as 'tenant:gold=4', but one is '" + weight
									+ "'");
				}
				byLane.put(weight.substring(0, end).strip(), Integer.valueOf(number));
			}
			return byLane;
		}

	}

	/**
	 * How long to wait between attempts.
	 *
	 * @param type How the delay grows.
	 * @param delay First delay, for 'fixed' and 'exponential'.
	 * @param maxDelay Longest delay.
	 * @param multiplier Factor from one delay to the next, for 'exponential'.
	 * @param jitter Share of a delay, from 0 to 1, by which it is varied at random.
	 * @param bean Name of a Backoff bean to use instead of the other settings.
	 */
	public record BackoffSettings(@Option @Nullable BackoffType type, @Option @Nullable Duration delay,
			@Option @Nullable Duration maxDelay, @Option(least = 1) @Nullable Double multiplier,
			@Option(most = 1) @Nullable Double jitter,
			@Option @Nullable String bean) implements OptionLayer<BackoffSettings> {

		/** The layer in which nothing is set. */
		public static final BackoffSettings UNSET = new BackoffSettings(null, null, null, null, null, null);

		private static final Duration DELAY = Duration.ofSeconds(5);

		private static final Duration MAX_DELAY = Duration.ofDays(1);

		/**
		 * Return these options merged over weaker ones. A type and a bean exclude each
		 * other, so either hides both in a weaker layer.
		 */
		@Override
		public BackoffSettings over(BackoffSettings weaker) {
			boolean chosen = this.type != null || haveBean();
			return OptionLayer.super.over(chosen
					? new BackoffSettings(null, weaker.delay, weaker.maxDelay, weaker.multiplier, weaker.jitter, null)
					: weaker);
		}

		private boolean haveBean() {
			return this.bean != null && !this.bean.isEmpty();
		}

		/**
		 * Return the configured backoff.
		 * @param beans finds a bean by its name
		 * @return the backoff
		 */
		public Backoff backoff(Function<String, Backoff> beans) {
			if (this.bean != null && haveBean()) {
				return beans.apply(this.bean);
			}
			Duration first = Objects.requireNonNullElse(this.delay, DELAY);
			Backoff backoff = switch ((this.type != null) ? this.type : BackoffType.POLYNOMIAL) {
				case POLYNOMIAL -> polynomial(Objects.requireNonNullElse(this.maxDelay, Backoff.LONGEST));
				case FIXED -> Backoff.fixed(first);
				case EXPONENTIAL -> Backoff.exponential(first, Objects.requireNonNullElse(this.multiplier, 2.0),
						Objects.requireNonNullElse(this.maxDelay, MAX_DELAY));
			};
			return (this.jitter != null && this.jitter != 0) ? backoff.jitter(this.jitter) : backoff;
		}

		private static Backoff polynomial(Duration longest) {
			Backoff backoff = Backoff.polynomial();
			return (job, failures, random) -> {
				Duration delay = backoff.delay(job, failures, random);
				return (delay.compareTo(longest) > 0) ? longest : delay;
			};
		}

	}

	/**
	 * How the delay between attempts grows.
	 */
	public enum BackoffType {

		/** With the fourth power of the failures. */
		POLYNOMIAL,

		/** Not at all. */
		FIXED,

		/** By a factor with every failure. */
		EXPONENTIAL

	}

	/**
	 * Which jobs count as equal: those with the same payload, while one holds the key.
	 *
	 * @param mode How long a job keeps equal jobs from being enqueued; 'none' for not at
	 * all.
	 * @param scope Among which jobs the payload is compared.
	 * @param window How long after its enqueue a job keeps equal jobs out at most; 0 for
	 * no bound.
	 * @param onDuplicate What enqueueing an equal job does.
	 */
	public record UniqueSettings(@Option @Nullable UniqueMode mode, @Option Unique.@Nullable Scope scope,
			@Option @Nullable Duration window,
			@Option Unique.@Nullable OnDuplicate onDuplicate) implements OptionLayer<UniqueSettings> {

		private void applyTo(EnqueueOptions.Builder rule) {
			if (this.mode == UniqueMode.NONE) {
				rule.notUnique();
				return;
			}
			rule.unique(Unique.byPayload((unique) -> {
				unique.window(positiveOrNull(this.window));
				set((this.mode != null) ? Unique.Mode.valueOf(this.mode.name()) : null, unique::mode);
				set(this.scope, unique::scope);
				set(this.onDuplicate, unique::onDuplicate);
			}));
		}

	}

	/**
	 * How long a job keeps equal jobs from being enqueued.
	 */
	public enum UniqueMode {

		/** Not at all. */
		NONE,

		/** Until a worker starts it. */
		UNTIL_STARTED,

		/** Until it has succeeded, died or been removed. */
		UNTIL_DONE,

		/** Until it has succeeded or been removed, also while it is dead. */
		UNTIL_REMOVED

	}

	/**
	 * Registers the options as record components for a native image.
	 */
	static class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), HandlerSettings.class);
		}

	}

}
