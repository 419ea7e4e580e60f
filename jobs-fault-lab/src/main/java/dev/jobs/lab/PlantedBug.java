package dev.jobs.lab;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import dev.jobs.Job;
import dev.jobs.Unique.Mode;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.view.LaneSettingsView.Rule;
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
			Job.Run run = store.inspector().job(transition.id(), Instant.now()).map(Job::run).orElse(null);
			long token = (run != null) ? run.token() : transition.token();
			return transition.withToken(token);
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
		return (this == NONE) ? store
				: (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
						(proxy, method, arguments) -> isEarly(arguments) ? Optional.empty() : call(store, new Call() {

							@Override
							public String name() {
								return method.getName();
							}

							@Override
							public Object on(Object[] given) throws Throwable {
								try {
									return method.invoke(store, given);
								}
								catch (InvocationTargetException ex) {
									throw ex.getTargetException();
								}
							}

						}, arguments));
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

}
