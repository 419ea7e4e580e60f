package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobState;
import dev.jobs.OnExpiry;
import dev.jobs.Rate;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.Urgency;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.End;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.Transition.To;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.ParitySide.Held;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerInfo.Pool;
import org.jspecify.annotations.Nullable;

/**
 * A random life of a store that only depends on a seed and on the replies learnt.
 */
final class RandomVerbs {

	private static final List<String> QUEUES = List.of("a", "b", "c");

	static final List<String> LANES = List.of("k", "l", "m");

	/**
	 * The rates of the lanes of each queue, one after the other: each is stricter, as
	 * stores may differ in when a looser one applies.
	 */
	private static final List<List<Rate>> STRICTER = List.of(List.of(), List.of(Rate.of(6, Duration.ofMillis(30))), List
		.of(Rate.of(6, Duration.ofMillis(50)), Rate.of(3, Duration.ofMillis(70)), Rate.of(2, Duration.ofMillis(90))));

	private static final List<String> THINGS = List.of("signal:a", "signal:b", "signal:c");

	private static final Map<To, JobState> ENDS = Map.of(To.REMOVED, JobState.SUCCEEDED, To.SUCCEEDED,
			JobState.SUCCEEDED, To.CANCELLED, JobState.CANCELLED, To.DEAD, JobState.DEAD);

	private static final List<String> WORKERS = List.of("v", "w", "x", "y");

	private static final int REMEMBERED = 60;

	private final Random random;

	private final boolean anyRates;

	private final List<String> ids = new ArrayList<>();

	private final List<Held> held = new ArrayList<>();

	/** The ids of jobs that may have saved values. */
	private final Set<String> savers = new TreeSet<>();

	private final Map<Held, List<Held>> together = new HashMap<>();

	/** What the claims of each queue name until it changes. */
	private final Map<String, Rates> rates = new HashMap<>();

	private Instant now = Instant.parse("2030-01-01T00:00:00Z");

	private int lastId;

	private @Nullable Step last;

	/**
	 * Create a life.
	 * @param seed decides what happens
	 * @param anyRates whether rates of lanes may also become looser and go
	 */
	RandomVerbs(long seed, boolean anyRates) {
		this.random = new Random(seed);
		this.anyRates = anyRates;
	}

	Instant now() {
		return this.now;
	}

	/**
	 * Return what to do next; now and then the same once more, as after a lost reply.
	 */
	Step next() {
		if (this.last != null && chance(6)) {
			return this.last;
		}
		this.now = this.now.plusMillis(this.random.nextInt(4));
		this.last = choose();
		return this.last;
	}

	/**
	 * Remember what the reply gave, to be settled later or never, on time or too late.
	 */
	void learn(Object reply) {
		if (reply instanceof List<?> parts) {
			List<Held> together = parts.stream().filter(Held.class::isInstance).map(Held.class::cast).toList();
			together.forEach((job) -> this.together.put(job, together));
			this.held.addAll(together);
		}
		while (this.held.size() > REMEMBERED) {
			this.held.remove(0);
		}
		while (this.ids.size() > REMEMBERED) {
			this.ids.remove(0);
		}
	}

	private Step choose() {
		int dice = this.random.nextInt(100);
		if (dice < 25) {
			return enqueue();
		}
		if (dice < 45) {
			return claim();
		}
		if (dice < 62) {
			return settle();
		}
		if (dice < 66) {
			return save();
		}
		if (dice < 78) {
			return beat();
		}
		if (dice < 84) {
			return takeOver();
		}
		if (dice < 94) {
			return change();
		}
		return (dice < 96) ? prune() : fireTicks();
	}

	private Step enqueue() {
		List<NewJob> jobs = some(4, this::newJob);
		Instant present = this.now;
		return new Step("enqueue " + jobs, (side) -> side.store().enqueue(jobs, present));
	}

	private NewJob newJob() {
		boolean repeated = !this.ids.isEmpty() && chance(20);
		String id = repeated ? oneOf(this.ids) : "job-" + (100_000 + this.lastId++);
		this.ids.add(id);
		String queue = QUEUES.get(Math.floorMod(id.hashCode(), QUEUES.size()));
		return NewJob.of(id, queue, payload(), this.now)
			.withHeaders(headers(id))
			.withDueAt(dueAt())
			.withUniqueKey(key())
			.withMaxWaiting(chance(4) ? 1 + this.random.nextInt(8) : 0)
			.withMaxInLane(chance(4) ? 1 + this.random.nextInt(4) : 0);
	}

	private Map<String, String> headers(String id) {
		Map<String, String> headers = new HashMap<>(Map.of("made-for", id));
		if (this.random.nextBoolean()) {
			headers.put(Job.LANE_HEADER, oneOf(LANES));
		}
		if (chance(3)) {
			headers.put(Job.URGENCY_HEADER, oneOf(List.of("urgent", "high", "normal", "low", "unheard of")));
		}
		if (chance(5)) {
			headers.put(oneOf(List.of(Job.EXPIRES_HEADER, Job.DEADLINE_HEADER)),
					Long.toString(this.now.toEpochMilli() + this.random.nextInt(200)));
			headers.put(Job.ON_EXPIRY_HEADER, oneOf(List.of(OnExpiry.values())).name());
		}
		return headers;
	}

	private byte[] payload() {
		byte[] payload = new byte[this.random.nextInt(12)];
		this.random.nextBytes(payload);
		return payload;
	}

	private Instant dueAt() {
		return this.random.nextBoolean() ? this.now : this.now.plusMillis(this.random.nextInt(50));
	}

	/**
	 * Return a key or none. A key across queues that is freed at the start may be taken
	 * by a job of another partition before its job is given back, so there is none.
	 */
	private NewJob.@Nullable UniqueKey key() {
		if (this.random.nextBoolean()) {
			return null;
		}
		Instant until = chance(3) ? this.now.plusMillis(1 + this.random.nextInt(60)) : null;
		String digest = "digest" + this.random.nextInt(4);
		Unique.Mode mode = oneOf(List.of(Unique.Mode.values()));
		Unique.Scope scope = oneOf(List.of(Unique.Scope.values()));
		return new NewJob.UniqueKey(digest, mode, (mode == Unique.Mode.UNTIL_STARTED) ? Unique.Scope.HANDLER : scope,
				until, oneOf(List.of(Unique.OnDuplicate.values())));
	}

	private Step claim() {
		List<String> queues = new ArrayList<>(QUEUES);
		Collections.shuffle(queues, this.random);
		List<Quota> quotas = queues.subList(0, 1 + this.random.nextInt(queues.size()))
			.stream()
			.peek(this::maybeChangeRates)
			.map((queue) -> Quota.of(queue, this.random.nextInt(7))
				.withShare(this.random.nextInt(4))
				.withMaxRunning(oneOf(List.of(0, 0, 2, 4)))
				.withLanes(QUEUES.indexOf(queue), this.random.nextBoolean() ? "" : oneOf(LANES))
				.withLaneWeights(chance(3) ? Map.of(oneOf(LANES), 1 + this.random.nextInt(4)) : Map.of())
				.withTurn(this.random.nextInt(16))
				.withRates(this.rates.get(queue)))
			.toList();
		ClaimRequest request = new ClaimRequest(oneOf(WORKERS), quotas, this.random.nextInt(9), this.now);
		return new Step(request.toString(), (side) -> side.describe(request, side.store().claim(request)));
	}

	private void maybeChangeRates(String queue) {
		if (chance(16)) {
			Rate ofQueue = chance(3) ? null : rate();
			Rate ofLane = this.anyRates ? (chance(2) ? null : rate()) : stricter(queue);
			this.rates.put(queue, new Rates(ofQueue, ofLane, Duration.ofMillis(this.random.nextInt(5))));
		}
	}

	private @Nullable Rate stricter(String queue) {
		List<Rate> all = STRICTER.get(QUEUES.indexOf(queue));
		Rates known = this.rates.get(queue);
		int before = (known != null && known.ofLane() != null) ? all.indexOf(known.ofLane()) : -1;
		int place = Math.min(before + (chance(3) ? 1 : 0), all.size() - 1);
		return (place >= 0) ? all.get(place) : null;
	}

	private Rate rate() {
		int starts = 1 + this.random.nextInt(6);
		return Rate.of(starts, Duration.ofMillis(40 + this.random.nextInt(120))).burst(1 + this.random.nextInt(starts));
	}

	private Step settle() {
		if (this.held.isEmpty()) {
			return claim();
		}
		List<Held> ended = some(5, () -> oneOf(this.held));
		List<To> moves = ended.stream().map((job) -> oneOf(List.of(To.values()))).toList();
		List<Boolean> keeping = moves.stream().map((to) -> to != To.REMOVED && this.random.nextBoolean()).toList();
		Instant dueAt = dueAt();
		List<Boolean> saved = ended.stream().map((job) -> this.savers.contains(job.id())).toList();
		List<@Nullable Instant> keptUntil = moves.stream()
			.<@Nullable Instant>map(
					(to) -> ENDS.containsKey(to) && chance(2) ? this.now.plusMillis(this.random.nextInt(60)) : null)
			.toList();
		byte[] value = payload();
		String error = "error " + this.random.nextInt();
		boolean abandoned = chance(4);
		Instant present = this.now;
		return new Step("settle " + ended + " to " + moves + " keeping " + keeping + " at " + dueAt, (side) -> {
			List<Transition> transitions = IntStream.range(0, ended.size()).mapToObj((i) -> {
				Transition end = transition(side, ended.get(i), moves.get(i), present, dueAt, error, abandoned);
				end = keeping.get(i) ? end.keepingLane() : end;
				end = saved.get(i) ? end.withSaved() : end;
				Instant until = keptUntil.get(i);
				JobState state = ENDS.get(moves.get(i));
				return (until != null && state != null)
						? end.keeping(new End(state, end.trail(), (state == JobState.SUCCEEDED) ? value : null, until))
						: end;
			}).toList();
			return List.of(side.store().settle(transitions, present),
					side.ends(ended.stream().map(Held::id).toList(), present));
		});
	}

	/**
	 * Save values, and read what one of the jobs has saved.
	 */
	private Step save() {
		if (this.held.isEmpty()) {
			return claim();
		}
		List<Held> saving = some(5, () -> oneOf(this.held));
		List<String> names = saving.stream().map((job) -> "step" + this.random.nextInt(3)).toList();
		List<byte[]> values = saving.stream().map((job) -> payload()).toList();
		saving.forEach((job) -> this.savers.add(job.id()));
		Held read = oneOf(this.held);
		Instant present = this.now;
		return new Step("save " + names + " of " + saving, (side) -> {
			List<Settled> settled = side.store()
				.save(IntStream.range(0, saving.size())
					.mapToObj((i) -> new Save(saving.get(i).id(), saving.get(i).queue(),
							side.token(saving.get(i).token()), names.get(i), values.get(i)))
					.toList(), present);
			return List.of(settled, side.saved(read.queue(), read.id()));
		});
	}

	private static Transition transition(ParitySide side, Held job, To to, Instant present, Instant dueAt, String error,
			boolean abandoned) {
		Trail trail = job.trail();
		if (to == To.SUCCEEDED || to == To.CANCELLED) {
			trail = TrailRules.finished(trail,
					Trail.Attempt.of(1, present, null).withStart(present, "w").withLog(error));
		}
		if (to == To.SCHEDULED || to == To.DEAD) {
			Trail.Attempt attempt = Trail.Attempt.of(1, present, error);
			trail = abandoned ? TrailRules.abandoned(trail, attempt) : TrailRules.failed(trail, attempt);
		}
		if (to == To.WAITING) {
			trail = TrailRules.parked(trail, Trail.Wait.of(THINGS.get(error.length() % THINGS.size()), present));
		}
		if (to == To.DEAD) {
			trail = TrailBuilder.ended(trail, Trail.End.of(DeadReason.EXHAUSTED, error, present));
		}
		return Transition.of(job.id(), job.queue(), side.token(job.token()), to,
				(to == To.SCHEDULED || to == To.WAITING || to == To.HELD_BACK) ? dueAt : present, trail);
	}

	private Step beat() {
		String worker = oneOf(WORKERS);
		Duration lease = Duration.ofMillis(10 + this.random.nextInt(150));
		WorkerInfo info = chance(2) ? new WorkerInfo("host", 1, "1", this.now,
				List.of(new Pool("pool", 5, 1, new ArrayList<>(new TreeSet<>(some(3, () -> oneOf(QUEUES)))))),
				List.of()) : null;
		List<Held> reporting = this.held.isEmpty() ? List.of() : some(3, () -> oneOf(this.held));
		Progress progress = Progress.of("at " + this.random.nextInt(100), 1, 2, this.now);
		boolean leaving = chance(12);
		Instant present = this.now;
		return new Step("beat of " + worker + (leaving ? ", leaving, " : ", ") + reporting, (side) -> {
			List<WorkerBeat.Note> notes = reporting.stream()
				.map((job) -> new WorkerBeat.Note(job.id(), job.queue(), side.token(job.token()), progress))
				.toList();
			return side.describe(side.store().beat(new WorkerBeat(worker, lease, info, notes, leaving, present)),
					present);
		});
	}

	private Step takeOver() {
		String worker = oneOf(WORKERS);
		Set<String> queues = Set.copyOf(some(3, () -> oneOf(QUEUES)));
		List<Held> lost = (this.held.isEmpty() || chance(2)) ? List.of() : some(3, () -> oneOf(this.held));
		Set<String> staying = (lost.isEmpty() || chance(2)) ? Set.of()
				: some(3, () -> oneOf(this.held)).stream().map(Held::id).collect(Collectors.toSet());
		Instant present = this.now;
		return new Step("take over by " + worker + " of " + queues + ", own " + lost + " without " + staying,
				(side) -> {
					Map<Long, Set<String>> own = new HashMap<>();
					lost.stream()
						.flatMap((job) -> this.together.getOrDefault(job, List.of()).stream())
						.forEach((job) -> own.put(side.token(job.token()), staying));
					return side.describeTaken(
							side.store().takeOver(new TakeOver(worker, queues, own, Integer.MAX_VALUE, present)));
				});
	}

	private Step change() {
		List<Change> changes = some(3, this::oneChange);
		Instant present = this.now;
		return new Step("change " + changes,
				(side) -> List.of(side.store().change(changes, present), side.ends(THINGS, present)));
	}

	private Change oneChange() {
		String id = this.ids.isEmpty() ? "unknown" : oneOf(this.ids);
		String queue = oneOf(QUEUES);
		return switch (this.random.nextInt(40)) {
			case 0, 1 -> new Change.Cancel(id);
			case 2, 3, 4 -> new Change.Delete(id);
			case 5, 6, 7 -> new Change.Reschedule(id, dueAt());
			case 8, 9, 10 -> new Change.Retry(id);
			case 11 -> new Change.Pause(queue, "ada");
			case 12, 13 -> new Change.Resume(queue);
			case 14 -> new Change.Limit(queue, this.random.nextInt(5) - 1, "bob");
			case 15 -> new Change.PauseSchedule("schedule" + this.random.nextInt(2));
			case 16 -> new Change.ResumeSchedule("schedule" + this.random.nextInt(2), offset());
			case 17, 18 -> new Change.ReplacePayload(id, payload());
			case 19, 20, 21 -> {
				NewSchedule schedule = putSchedule(false);
				yield new Change.PutSchedule(schedule, "spec of " + schedule.version(), chance(4) ? null : dueAt(),
						offset());
			}
			case 22 -> new Change.DropSchedule(putSchedule(false).name());
			case 23 -> new Change.Set("kind", queue, chance(3) ? null : "value " + this.random.nextInt(9), "eve");
			case 24, 25 -> Change.SetStanding.urgency(id, oneOf(List.of(Urgency.values())));
			case 26 -> Change.SetStanding.lane(id, chance(4) ? null : oneOf(LANES));
			case 27 ->
				new Change.SetLane(queue, oneOf(LANES), LaneSettingsView.Rule.PAUSED, chance(2) ? 1 : null, "ada");
			case 28 -> new Change.SetLane(queue, oneOf(LANES), LaneSettingsView.Rule.LIMIT,
					chance(3) ? null : 1 + this.random.nextInt(3), "bob");
			case 29, 30 -> new Change.Swap("kind", queue, "value " + this.random.nextInt(9),
					"swapped " + this.random.nextInt(9), chance(2));
			case 34, 35, 36 -> new Change.Release(oneOf(THINGS));
			case 37, 38 -> new Change.KeepEnd(oneOf(THINGS), chance(4) ? null : new End(JobState.SUCCEEDED, Trail.EMPTY,
					payload(), this.now.plusMillis(this.random.nextInt(60))));
			case 31, 32 -> new Change.ForgetSaved(id, "step" + this.random.nextInt(3));
			default -> chance(20) ? new Change.Purge() : new Change.Resume(queue);
		};
	}

	private Step prune() {
		Instant before = this.now.minusMillis(this.random.nextInt(200));
		// Whatever waits is old enough, as the seam lets a store stop at the first job
		// that is not.
		Instant stranded = chance(3) ? this.now.plusSeconds(1) : null;
		PruneRequest request = new PruneRequest(chance(2) ? before : null, this.random.nextInt(12),
				chance(2) ? before : null, this.random.nextInt(12), stranded, chance(3) ? before : null,
				Integer.MAX_VALUE, this.now);
		return new Step(request.toString(), (side) -> {
			Pruned pruned = side.store().prune(request);
			return List.of(pruned.dead(), pruned.history(), pruned.stranded(), Set.copyOf(pruned.expired()));
		});
	}

	private Step fireTicks() {
		Map<String, String> ways = new HashMap<>();
		List<Tick> ticks = some(4, this::newTick).stream()
			.filter((tick) -> way(tick).equals(ways.computeIfAbsent(tick.schedule().name(), (name) -> way(tick))))
			.toList();
		Instant present = this.now;
		return new Step(ticks.toString(), (side) -> side.store().fireTicks(ticks, present));
	}

	/**
	 * Return which ticks of a schedule a cluster keeps in order: those of one queue whose
	 * jobs all need the same key of another partition, or need none there.
	 */
	private static String way(Tick tick) {
		NewJob job = tick.job();
		NewJob.UniqueKey key = (job != null) ? job.uniqueKey() : null;
		String queue = tick.schedule().queue();
		return (key != null && key.scope() == Unique.Scope.NAMESPACE) ? queue + " " + key.digest() : queue;
	}

	/**
	 * Return a schedule that is put, or declared, or both. A version says all of it.
	 */
	private NewSchedule putSchedule(boolean maybeDeclared) {
		int number = this.random.nextInt(2);
		int version = this.random.nextInt(3);
		return new NewSchedule("put" + number, "definition" + version, QUEUES.get(number),
				(maybeDeclared && chance(4)) ? null : "version" + version);
	}

	private Tick newTick() {
		if (chance(2)) {
			NewSchedule schedule = putSchedule(true);
			NewJob offered = newJob();
			return Tick
				.of(schedule, this.now.plusMillis(this.random.nextInt(20) - 10),
						offered.name().equals(schedule.queue()) ? offered : null)
				.withNext(chance(4) ? null : dueAt());
		}
		NewJob job = chance(4) ? null : newJob();
		String queue = (job != null) ? job.name() : oneOf(QUEUES);
		Instant instant = this.now.plusMillis(this.random.nextInt(20) - 10);
		NewSchedule schedule = new NewSchedule("schedule" + this.random.nextInt(3),
				"definition" + this.random.nextInt(2), queue);
		return Tick.of(schedule, instant, job);
	}

	private Duration offset() {
		return Duration.ofMillis(chance(2) ? 0 : this.random.nextInt(50));
	}

	private boolean chance(int oneIn) {
		return this.random.nextInt(oneIn) == 0;
	}

	private <T> T oneOf(List<T> list) {
		return list.get(this.random.nextInt(list.size()));
	}

	private <T> List<T> some(int most, java.util.function.Supplier<T> each) {
		return IntStream.rangeClosed(0, this.random.nextInt(most)).mapToObj((i) -> each.get()).toList();
	}

	/**
	 * A verb to call on both sides.
	 *
	 * @param description what it is
	 * @param verb calls it and describes the reply
	 */
	record Step(String description, Function<ParitySide, Object> verb) {

	}

}
