package dev.jobs.lab;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import dev.jobs.Job;
import dev.jobs.Unique.Mode;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.LaneSettingsView.Rule;
import dev.jobs.store.view.SavedView;
import org.jspecify.annotations.Nullable;

/**
 * Bugs to be planted on purpose, so that the checker shows that it would see them.
 */
enum PlantedBug {

	/** All is as it should be. */
	NONE {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			return call.on(arguments);
		}

	},

	/**
	 * An end is accepted under whatever token the job is held, not only under its own.
	 */
	TOKEN_CHECK_DROPPED {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("settle")) {
				arguments[0] = transitions(arguments[0]).stream()
					.map((transition) -> underCurrentToken(store, transition))
					.toList();
			}
			return call.on(arguments);
		}

		private Transition underCurrentToken(JobStore store, Transition transition) {
			return transition.withToken(currentToken(store, transition.id(), transition.token()));
		}

	},

	/** A unique key is free once its job has started. */
	KEY_RELEASED_EARLY {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("enqueue")) {
				arguments[0] = ((List<?>) arguments[0]).stream().map((job) -> untilStarted((NewJob) job)).toList();
			}
			return call.on(arguments);
		}

		private NewJob untilStarted(NewJob job) {
			NewJob.UniqueKey key = job.uniqueKey();
			return (key == null) ? job : job.withUniqueKey(new NewJob.UniqueKey(key.digest(), Mode.UNTIL_STARTED,
					key.scope(), key.until(), key.onDuplicate()));
		}

	},

	/** A claim does not look how many jobs of a lane run. */
	LANE_LIMIT_DROPPED {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			return call.on(withQuotas(call, arguments, (quota) -> quota.withLanes(0, quota.after())));
		}

	},

	/** A job of an ordered lane gives up its place while it waits. */
	LANE_NOT_HELD {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("settle")) {
				arguments[0] = transitions(arguments[0]).stream()
					.map((end) -> Transition.of(end.id(), end.queue(), end.token(), end.to(), end.at(), end.trail()))
					.toList();
			}
			return call.on(arguments);
		}

	},

	/** Some jobs get in front of those that were enqueued before. */
	LANE_ORDER_LOST {

		private int enqueued;

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("enqueue")) {
				arguments[0] = ((List<?>) arguments[0]).stream()
					.map(NewJob.class::cast)
					.map((job) -> (this.enqueued++ % 2 == 0) ? job : job.withDueAt(job.dueAt().minusSeconds(5)))
					.toList();
			}
			return call.on(arguments);
		}

	},

	/** A claim does not look how many jobs have started before. */
	RATE_DROPPED {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			return call.on(withQuotas(call, arguments, (quota) -> quota.withRates(null)));
		}

	},

	/** Nobody opens a lane again whose job was taken over. */
	LANE_LEFT_CLOSED {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			Object reply = call.on(arguments);
			if (call.name().equals("takeOver")) {
				for (Claim claim : ((ClaimReply) reply).claims()) {
					String lane = claim.job().lane();
					if (lane != null) {
						store.change(List.of(new Change.SetLane(claim.job().name(), lane, Rule.PAUSED, 1, null)),
								Instant.now());
					}
				}
			}
			return reply;
		}

	},

	/** A tick enqueues two jobs. */
	TICK_DOUBLED {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			Object reply = call.on(arguments);
			for (NewJob job : jobsOfTicks(call, arguments)) {
				store.enqueue(List.of(job.withId(new StringBuilder(job.id()).reverse().toString())), Instant.now());
			}
			return reply;
		}

	},

	/** The job of a tick is gone as soon as the tick is claimed. */
	TICK_LOST {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			Object reply = call.on(arguments);
			for (NewJob job : jobsOfTicks(call, arguments)) {
				store.change(List.of(new Change.Delete(job.id())), Instant.now());
			}
			return reply;
		}

	},

	/**
	 * A take-over notices only seconds later that the clock of the server was set back.
	 */
	CLOCK_SET_BACK_UNNOTICED {

		private final Duration unnoticed = Duration.ofSeconds(6);

		private Duration ahead = Duration.ZERO;

		private long seenNanos = System.nanoTime() - this.unnoticed.toNanos();

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("takeOver")) {
				TakeOver request = (TakeOver) arguments[0];
				// It takes nothing, but forgets workers.
				store.takeOver(new TakeOver(request.worker(), request.queues(), Map.of(), 0, late(request.now())));
			}
			return call.on(arguments);
		}

		private synchronized Instant late(Instant now) {
			Instant machine = Instant.now();
			Duration ahead = Duration.between(machine, now);
			if (ahead.plusMillis(500).compareTo(this.ahead) > 0
					|| System.nanoTime() - this.seenNanos > this.unnoticed.toNanos()) {
				this.ahead = ahead;
				this.seenNanos = System.nanoTime();
			}
			return machine.plus(this.ahead);
		}

	},

	/**
	 * A saved value is accepted under whatever token the job is held, at the latest when
	 * the run that holds it has saved its own. Saves are slow, so that many are under way
	 * when a worker is frozen.
	 */
	SAVE_TOKEN_CHECK_DROPPED {

		private final Duration patience = Duration.ofSeconds(10);

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("save")) {
				LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
			}
			Object reply = call.on(arguments);
			if (call.name().equals("save") && isRefused(reply)) {
				long end = System.nanoTime() + this.patience.toNanos();
				List<Save> saves = saves(arguments[0]);
				while (isRefused(reply) && System.nanoTime() - end < 0) {
					LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
					if (saves.stream().allMatch((save) -> isSaved(store, save))) {
						reply = store.save(saves.stream().map((save) -> underCurrentToken(store, save)).toList(),
								(Instant) arguments[1]);
					}
				}
			}
			return reply;
		}

		private boolean isSaved(JobStore store, Save save) {
			return store.inspector()
				.saved(save.queue(), save.job())
				.stream()
				.anyMatch((saved) -> saved.name().equals(save.name()));
		}

		private boolean isRefused(Object reply) {
			return ((List<?>) reply).contains(Settled.LOST) || ((List<?>) reply).contains(Settled.GONE);
		}

		private Save underCurrentToken(JobStore store, Save save) {
			return new Save(save.job(), save.queue(), currentToken(store, save.job(), save.token()), save.name(),
					save.value());
		}

	},

	/** The values of some steps are confirmed and not saved. */
	SAVE_LOST {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("save") && saves(arguments[0]).stream()
				.allMatch((save) -> isOfAStep(save.value()) && save.name().endsWith("0"))) {
				return saves(arguments[0]).stream().map((save) -> Settled.APPLIED).toList();
			}
			return call.on(arguments);
		}

	},

	/** What a job has saved is known by its place, not by its name. */
	SAVES_KNOWN_BY_PLACE {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			return call.name().equals("inspector") ? around(store.inspector(), PlantedBug::byPlace)
					: call.on(arguments);
		}

	},

	/** The mark of a transactional step is not committed with it. */
	STEP_WITHOUT_ITS_MARK {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("as") && arguments[0] == TransactionalJobStore.class) {
				return Optional.of((TransactionalJobStore) () -> TransactionalJobStore.join(store)
					.map((joined) -> around(JobStore.class, joined, (inner, given) -> inner.name().equals("save")
							? saves(given[0]).stream().map((save) -> Settled.APPLIED).toList() : inner.on(given))));
			}
			return call.on(arguments);
		}

	},

	/** A later signal replaces the first one. */
	LATER_SIGNAL_WINS {

		private static final String LATER = " later";

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			Object reply = call.on(arguments);
			if (call.name().equals("change") && ((List<?>) arguments[0]).get(0) instanceof Change.KeepEnd keep
					&& ((List<?>) reply).get(0) == Changed.REFUSED) {
				store.change(List.of(new Change.KeepEnd(keep.thing() + LATER, keep.end())), (Instant) arguments[1]);
			}
			return call.name().equals("inspector") ? around(store.inspector(), this::latest) : reply;
		}

		private Object latest(Call call, Object[] arguments) throws Throwable {
			if (!call.name().equals("ends")) {
				return call.on(arguments);
			}
			Map<String, EndView> ends = new HashMap<>(ends(call.on(arguments)));
			for (Object thing : (Collection<?>) arguments[0]) {
				Map<String, EndView> later = ends(call.on(new Object[] { List.of(thing + LATER), arguments[1] }));
				later.values().forEach((end) -> ends.put(thing.toString(), end));
			}
			return ends;
		}

	},

	/** A signal releases nobody, and nobody looks for it later. */
	SIGNAL_RELEASES_NOBODY {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("change")) {
				arguments[0] = ((List<?>) arguments[0]).stream()
					.map((change) -> (change instanceof Change.Release) ? new Change.Release("nothing") : change)
					.toList();
			}
			return call.name().equals("inspector") ? around(store.inspector(), PlantedBug::notForThoseWhoWait)
					: call.on(arguments);
		}

	},

	/** A job is parked without a look whether its signal came meanwhile. */
	PARKED_WITHOUT_A_LOOK {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("settle")
					&& transitions(arguments[0]).stream().anyMatch((end) -> end.to() == Transition.To.WAITING)) {
				LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
			}
			return call.name().equals("inspector") ? around(store.inspector(), PlantedBug::notForThoseWhoWait)
					: call.on(arguments);
		}

	},

	/** A job does not remember that the time of its wait was over. */
	TIME_OUT_FORGOTTEN {

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("save") && saves(arguments[0]).stream()
				.allMatch((save) -> new String(save.value(), StandardCharsets.UTF_8).equals("\"over\""))) {
				return saves(arguments[0]).stream().map((save) -> Settled.APPLIED).toList();
			}
			return call.on(arguments);
		}

	},

	/** A job is removed from the store before it runs. */
	END_WRITTEN_BEFORE_THE_RUN {

		private final Map<String, Boolean> removed = new ConcurrentHashMap<>();

		@Override
		Object call(JobStore store, Call call, Object[] arguments) throws Throwable {
			if (call.name().equals("settle")) {
				return transitions(arguments[0]).stream()
					.map((transition) -> (this.removed.remove(transition.id()) != null) ? Settled.APPLIED
							: store.settle(List.of(transition), (Instant) arguments[1]).get(0))
					.toList();
			}
			Object reply = call.on(arguments);
			if (call.name().equals("claim")) {
				for (Claim claim : ((ClaimReply) reply).claims()) {
					this.removed.put(claim.job().id(), true);
					store.settle(List.of(Transition.removed(claim, Instant.now())), Instant.now());
				}
			}
			return reply;
		}

	};

	static PlantedBug named(@Nullable String name) {
		return (name != null) ? valueOf(name) : NONE;
	}

	private static List<Transition> transitions(Object argument) {
		return ((List<?>) argument).stream().map(Transition.class::cast).toList();
	}

	private static boolean isOfAStep(byte[] value) {
		return new String(value, StandardCharsets.UTF_8).contains(String.valueOf(Orders.BY));
	}

	private static List<Save> saves(Object argument) {
		return ((List<?>) argument).stream().map(Save.class::cast).toList();
	}

	@SuppressWarnings("unchecked")
	private static Map<String, EndView> ends(Object reply) {
		return (Map<String, EndView>) reply;
	}

	private static long currentToken(JobStore store, String job, long otherwise) {
		Job.Run run = store.inspector().job(job, Instant.now()).map(Job::run).orElse(null);
		return (run != null) ? run.token() : otherwise;
	}

	/**
	 * Give the values that steps have saved to each other.
	 */
	private static Object byPlace(Call call, Object[] arguments) throws Throwable {
		Object reply = call.on(arguments);
		if (!call.name().equals("saved")) {
			return reply;
		}
		List<SavedView> saved = new ArrayList<>(((List<?>) reply).stream().map(SavedView.class::cast).toList());
		List<SavedView> steps = saved.stream().filter((view) -> isOfAStep(view.value())).toList();
		saved.removeAll(steps);
		for (int i = 0; i < steps.size(); i++) {
			SavedView other = steps.get((i + 1) % steps.size());
			saved.add(new SavedView(steps.get(i).name(), other.value(), other.savedAt()));
		}
		return saved;
	}

	/**
	 * Let the handlers see what has happened, but not the loop that releases those who
	 * wait.
	 */
	private static Object notForThoseWhoWait(Call call, Object[] arguments) throws Throwable {
		return (call.name().equals("ends") && Thread.currentThread().getName().equals("jobs-waits")) ? Map.of()
				: call.on(arguments);
	}

	private static JobInspector around(JobInspector inspector, Act act) {
		return around(JobInspector.class, inspector, act);
	}

	private static List<NewJob> jobsOfTicks(Call call, Object[] arguments) {
		return !call.name().equals("fireTicks") ? List.of()
				: ((List<?>) arguments[0]).stream()
					.map((tick) -> ((Tick) tick).job())
					.filter(Objects::nonNull)
					.toList();
	}

	private static Object[] withQuotas(Call call, Object[] arguments, UnaryOperator<Quota> change) {
		if (call.name().equals("claim")) {
			ClaimRequest request = (ClaimRequest) arguments[0];
			List<Quota> quotas = request.quotas().stream().map(change).toList();
			arguments[0] = new ClaimRequest(request.worker(), quotas, request.limit(), request.now());
		}
		return arguments;
	}

	/**
	 * Plant the bug in a store.
	 */
	JobStore plant(JobStore store) {
		return (this == NONE) ? store : around(JobStore.class, store,
				(call, arguments) -> isEarly(arguments) ? Optional.empty() : call(store, call, arguments));
	}

	private static <T> T around(Class<T> type, T target, Act act) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> act.on(new Call() {

					@Override
					public String name() {
						return method.getName();
					}

					@Override
					public Object on(Object[] given) throws Throwable {
						try {
							return method.invoke(target, given);
						}
						catch (InvocationTargetException ex) {
							throw ex.getTargetException();
						}
					}

				}, arguments)));
	}

	/** An enqueue that returns early would get past the bug. */
	private static boolean isEarly(Object @Nullable [] arguments) {
		return arguments != null && arguments.length == 1 && arguments[0] == EarlyEnqueue.class;
	}

	abstract Object call(JobStore store, Call call, Object[] arguments) throws Throwable;

	/**
	 * A call of the store.
	 */
	interface Call {

		String name();

		Object on(Object[] arguments) throws Throwable;

	}

	/**
	 * Does something instead of a call.
	 */
	@FunctionalInterface
	private interface Act {

		Object on(Call call, Object[] arguments) throws Throwable;

	}

}
