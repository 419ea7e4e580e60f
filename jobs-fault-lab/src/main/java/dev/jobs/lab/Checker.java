package dev.jobs.lab;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import dev.jobs.Rate;
import dev.jobs.lab.Entry.Kind;
import dev.jobs.lab.Verdict.Recovery;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ledgers of a trial and reports broken promises. It asks no server and no
 * process.
 * <p>
 * A worker is sure of its jobs for four fifths of a lease after it sent a beat that was
 * confirmed, unless it is killed, or another server takes over that may lack what the
 * first one knew. Only while their workers are sure do runs count for limits and keys:
 * whoever loses its lease may continue for a while, and nothing outside can prevent it.
 */
final class Checker {

	/** What the clocks of server and processes may differ by where they meet. */
	private static final long SKEW = Duration.ofMillis(100).toNanos();

	private static final long NOT_REPLICATED = Duration.ofMillis(500).toNanos();

	/** How long a link between servers may be broken after their clock was set. */
	private static final long RELINKED = Duration.ofSeconds(5).toNanos();

	/**
	 * How long the jobs of a killed worker may stay its own, if servers and other workers
	 * are broken meanwhile.
	 */
	private static final long TAKEN_OVER = Duration.ofSeconds(30).toNanos();

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final int SHOWN = 20;

	private final List<Entry> entries;

	private final long lease;

	private final List<Run> runs = new ArrayList<>();

	private final Map<String, List<Run>> runsOfJobs = new HashMap<>();

	/** When the store told its time, and when it was asked. */
	private final Map<String, NavigableMap<Long, Long>> asked = new HashMap<>();

	/** When beats were sent, and when they were confirmed. */
	private final Map<String, NavigableMap<Long, Long>> beats = new HashMap<>();

	/** The last beat of each unbroken chain of a process, by each beat of it. */
	private final Map<String, Map<Long, Long>> lastOfChains = new HashMap<>();

	private final Map<String, Long> killings = new HashMap<>();

	private final Map<String, Long> stoppings = new HashMap<>();

	private final Map<String, List<Entry>> takeOvers = new HashMap<>();

	private final Map<String, Long> acknowledged = new HashMap<>();

	/** From when until when the servers did not agree which of them counts. */
	private final NavigableMap<Long, Long> failovers = new TreeMap<>();

	/** What the servers took for the time, one period after the other. */
	private final List<ServerTime> serverTimes = new ArrayList<>(List.of(new ServerTime(Long.MIN_VALUE, 0)));

	/** What the clock of the machine was ahead of the shared counter. */
	private long epoch = Long.MIN_VALUE;

	/** How many limited jobs ran at once at most, by the limit that counted. */
	private final NavigableMap<Integer, Integer> mostAtOnce = new TreeMap<>();

	/** How many jobs of a lane ran at once at most. */
	private int mostInALane;

	/** How many jobs of ordered lanes began more than once. */
	private long begunAgain;

	/** How many jobs started in any window at most, by the rate. */
	private final Map<Rate, Integer> mostInAWindow = new LinkedHashMap<>();

	private final List<String> violations = new ArrayList<>();

	private final Map<String, Integer> kindsOfViolations = new HashMap<>();

	private long longestTakeOver;

	private final Map<String, Long> repeats = new TreeMap<>();

	private final OrdersChecker orders = new OrdersChecker(this);

	private Map<String, Long> figuresOfOrders = Map.of();

	/**
	 * Create a checker.
	 * @param entries the entries of all ledgers, in their order
	 * @param lease the lease of the workers
	 */
	Checker(List<Entry> entries, Duration lease) {
		this.entries = entries;
		this.lease = lease.toNanos();
	}

	/**
	 * Check everything.
	 * @param topology the kind of servers
	 * @param server the version of the servers
	 * @param faults how often each fault was injected
	 * @param surprises what the lab itself saw
	 */
	Verdict check(Topology topology, String server, Map<Fault, Integer> faults, List<String> surprises) {
		surprises.forEach((surprise) -> violation("the lab saw", surprise));
		read();
		nothingAcknowledgedIsLost();
		nothingRefusedRuns();
		everyDuplicateHasAnOwner();
		noStaleEndIsAccepted();
		noLimitIsExceeded();
		noLaneIsOverfull();
		everyOrderedLaneKeepsItsOrder();
		noRateIsExceeded();
		noKeyIsHeldTwice();
		nothingStartsInAPausedQueue();
		everyRepeatHasACause();
		everyKilledRunIsTakenOver();
		everyTickRunsOnce();
		nothingIsEarly();
		this.figuresOfOrders = this.orders.check(this.runs);
		this.kindsOfViolations.forEach((kind, count) -> {
			if (count > SHOWN) {
				this.violations.add(kind + ": " + (count - SHOWN) + " more");
			}
		});
		return new Verdict(topology, server, begin(), duration(), faults, figures(), this.repeats, recoveries(),
				List.copyOf(this.violations));
	}

	void violation(String kind, String text) {
		if (this.kindsOfViolations.merge(kind, 1, Integer::sum) <= SHOWN) {
			this.violations.add(kind + ": " + text);
		}
	}

	// --- reading

	private void read() {
		Map<String, Run> open = new HashMap<>();
		for (Entry entry : this.entries) {
			switch (entry.kind()) {
				case STARTED -> {
					Run run = new Run(entry);
					this.runs.add(run);
					this.runsOfJobs.computeIfAbsent(run.job, (job) -> new ArrayList<>()).add(run);
					open.put(run.process + run.job + run.token, run);
				}
				case ENDED -> {
					Run run = open.get(entry.process() + entry.word(1) + entry.word(2));
					if (run != null) {
						run.end = entry.nanos();
						run.result = entry.word(3);
					}
				}
				case SETTLED -> {
					Run run = open.get(entry.process() + entry.word(0) + entry.word(1));
					if (run != null && entry.word(3).equals("APPLIED") && !run.isAccepted()) {
						run.accepted = entry.nanos();
						run.to = entry.word(2);
					}
				}
				case BEAT -> this.beats.computeIfAbsent(entry.process(), (process) -> new TreeMap<>())
					.put(entry.number(0), entry.nanos());
				case ACKNOWLEDGED, UNSURE -> this.acknowledged.put(entry.word(0), entry.nanos());
				case KILLING -> this.killings.put(entry.word(0), entry.nanos());
				case STOPPING -> this.stoppings.put(entry.word(0), entry.nanos());
				case TAKEN_OVER -> this.takeOvers.computeIfAbsent(entry.word(0), (job) -> new ArrayList<>()).add(entry);
				case SETTING_SERVER_CLOCK ->
					this.serverTimes.add(new ServerTime(entry.nanos(), Duration.ofMillis(entry.number(0)).toNanos()));
				case SERVER_CLOCK_SET -> this.serverTimes.get(this.serverTimes.size() - 2).until = entry.nanos();
				case TIME -> this.asked.computeIfAbsent(entry.process(), (process) -> new TreeMap<>())
					.put(entry.nanos(), entry.number(0));
				case FAILING_OVER -> this.failovers.put(sinceReplicated(entry.nanos()), Long.MAX_VALUE);
				case FAILED_OVER ->
					this.failovers.replaceAll((begin, end) -> (end == Long.MAX_VALUE) ? entry.nanos() : end);
				// The counter is noted a moment after the clock was read, if not
				// later.
				case CLOCK ->
					this.epoch = Math.max(this.epoch, Duration.ofMillis(entry.number(0)).toNanos() - entry.nanos());
				default -> this.orders.read(entry);
			}
		}
		if (this.epoch == Long.MIN_VALUE) {
			throw new IllegalArgumentException("The ledgers do not record the time");
		}
		this.runs.forEach((run) -> run.safeUntil = safeUntil(run));
	}

	/**
	 * Return since when a server that takes over may lack what the first one was told.
	 * Each takes the other for gone if their clock jumps, and then makes a new link.
	 */
	private long sinceReplicated(long failover) {
		long set = this.serverTimes.get(this.serverTimes.size() - 1).from;
		return (set > failover - RELINKED) ? set : failover;
	}

	/**
	 * Return until when the worker of a run was sure of its jobs: beat after beat, each
	 * sent and confirmed before the one before would not do any more.
	 */
	private long safeUntil(Run run) {
		long sure = sure();
		NavigableMap<Long, Long> beats = this.beats.getOrDefault(run.process, new TreeMap<>());
		Long last = lastConfirmed(beats, run.start);
		if (last == null || last + sure < run.start) {
			return run.start;
		}
		last = this.lastOfChains.computeIfAbsent(run.process, (process) -> lastOfChain(beats)).getOrDefault(last, last);
		run.takenAfterALeap = takenOverAfterALeap(run, beats);
		long until = Math.min(Math.min(last + sure, this.killings.getOrDefault(run.process, Long.MAX_VALUE)),
				run.takenAfterALeap);
		Map.Entry<Long, Long> current = this.failovers.floorEntry(run.start);
		if (current != null && current.getValue() > run.start - this.lease) {
			return run.start;
		}
		// What was written just before may not have reached the other server.
		Long failover = this.failovers.higherKey(run.start);
		return (failover != null) ? Math.min(until, failover - NOT_REPLICATED) : until;
	}

	/**
	 * Return for each beat the last one of its chain.
	 */
	private Map<Long, Long> lastOfChain(NavigableMap<Long, Long> beats) {
		Map<Long, Long> lasts = new HashMap<>();
		Long next = null;
		for (Long beat : beats.descendingKeySet()) {
			boolean goesOn = next != null && beats.getOrDefault(next, Long.MAX_VALUE) <= beat + sure();
			lasts.put(beat, goesOn ? lasts.getOrDefault(next, next) : beat);
			next = beat;
		}
		return lasts;
	}

	/**
	 * Return when a worker took the job of a run over that had started after the clock of
	 * the server was set ahead, which it cannot see, before the worker of the run had
	 * beaten again.
	 */
	private long takenOverAfterALeap(Run run, NavigableMap<Long, Long> beats) {
		for (int i = 1; i < this.serverTimes.size(); i++) {
			ServerTime before = this.serverTimes.get(i - 1);
			ServerTime time = this.serverTimes.get(i);
			Map.Entry<Long, Long> next = beats.ceilingEntry(before.until);
			long renewed = (next != null) ? next.getValue() : plus(before.until, this.lease);
			if (time.ahead - before.ahead <= this.lease || renewed < run.start) {
				continue;
			}
			for (Entry takeOver : this.takeOvers.getOrDefault(run.job, List.of())) {
				NavigableMap<Long, Long> ofTaker = this.beats.getOrDefault(takeOver.process(), new TreeMap<>());
				boolean isNew = !ofTaker.isEmpty() && ofTaker.firstKey() >= time.from;
				if (isNew && takeOver.nanos() >= Math.max(run.start, time.from)
						&& takeOver.nanos() <= renewed + SECOND) {
					return takeOver.nanos();
				}
			}
		}
		return Long.MAX_VALUE;
	}

	private long sure() {
		return this.lease - this.lease / 5;
	}

	private static @Nullable Long lastConfirmed(NavigableMap<Long, Long> beats, long at) {
		Long last = beats.floorKey(at);
		while (last != null && beats.getOrDefault(last, Long.MAX_VALUE) > at) {
			last = beats.lowerKey(last);
		}
		return last;
	}

	private Collection<List<Run>> jobs() {
		return this.runsOfJobs.values();
	}

	/**
	 * Return what was offered, by its reference.
	 */
	private Map<String, Entry> offers() {
		return of(Kind.OFFERED).stream().collect(Collectors.toMap((entry) -> entry.word(0), (entry) -> entry));
	}

	private List<Entry> of(Kind kind) {
		return this.entries.stream().filter((entry) -> entry.kind() == kind).toList();
	}

	// --- what was promised

	private void nothingAcknowledgedIsLost() {
		Set<String> done = this.runs.stream()
			.filter((run) -> "done".equals(run.result))
			.map((run) -> run.ref)
			.collect(Collectors.toSet());
		of(Kind.ACKNOWLEDGED).stream()
			.filter((entry) -> !done.contains(entry.word(0)))
			.forEach((entry) -> violation("lost",
					"job " + entry.word(1) + " (" + entry.word(0) + ") was acknowledged and never came to its end"));
	}

	private void nothingRefusedRuns() {
		Set<String> refused = of(Kind.REFUSED).stream().map((entry) -> entry.word(0)).collect(Collectors.toSet());
		this.runs.stream()
			.filter((run) -> refused.contains(run.ref))
			.forEach((run) -> violation("refused and run", run + " was reported as not stored"));
	}

	/**
	 * A key that was found taken is held by a job that has not ended yet and will.
	 */
	private void everyDuplicateHasAnOwner() {
		Map<String, Entry> offers = offers();
		for (Entry duplicate : of(Kind.DUPLICATE)) {
			Entry offer = offers.get(duplicate.word(0));
			List<Run> runs = this.runsOfJobs.getOrDefault(duplicate.word(1), List.of());
			String refused = duplicate.word(0) + " was refused at " + duplicate.nanos() + " for job "
					+ duplicate.word(1);
			if (runs.stream().noneMatch((run) -> "done".equals(run.result)) && !mayGetLost(duplicate.nanos())) {
				violation("owner lost", refused + ", which never came to its end");
			}
			if (offer == null) {
				continue;
			}
			String key = offer.word(2);
			long offered = offer.nanos();
			runs.stream()
				.filter((run) -> !run.key.equals(key))
				.findFirst()
				.ifPresent((run) -> violation("wrong owner", refused + ", which has another key: " + run));
			if (runs.stream().allMatch((run) -> run.start < offered) && runs.stream()
				.anyMatch((run) -> run.to.equals("REMOVED") && run.accepted < offered && !wasEnqueueUnderWay(run)
						&& !failedOverBetween(run.start, duplicate.nanos()))) {
				violation("key not freed", refused + ", which had ended before: " + runs);
			}
		}
	}

	/**
	 * Return whether what was written then may be lacking on a server that took over.
	 */
	private boolean mayGetLost(long at) {
		Map.Entry<Long, Long> failover = this.failovers.floorEntry(at + NOT_REPLICATED);
		return failover != null && at <= failover.getValue();
	}

	private void noStaleEndIsAccepted() {
		for (List<Run> runs : jobs()) {
			for (Run run : runs) {
				if (!run.isAccepted()) {
					continue;
				}
				runs.stream()
					.filter((other) -> other.token > run.token && other.start < run.end && run.end < Long.MAX_VALUE)
					.filter((other) -> !failedOverBetween(run.start, run.accepted))
					.forEach((other) -> violation("stale end",
							"the end of " + run + " was accepted although it had started under token " + other.token
									+ " on " + other.process + " before"));
			}
			List<Run> gone = runs.stream().filter((run) -> run.isAccepted() && run.to.equals("REMOVED")).toList();
			if (gone.size() > 1 && !wasEnqueueUnderWay(gone.get(0))
					&& !failedOverBetween(gone.get(0).start, gone.get(gone.size() - 1).accepted)) {
				violation("two ends", "two ends of one job were accepted: " + gone);
			}
		}
	}

	boolean failedOverBetween(long from, long to) {
		Long last = this.failovers.lowerKey(to);
		return last != null && this.failovers.getOrDefault(last, Long.MAX_VALUE) > from - this.lease;
	}

	private void noLimitIsExceeded() {
		NavigableMap<Long, Integer> limits = new TreeMap<>();
		limits.put(Long.MIN_VALUE, Queues.FIRST_LIMIT);
		of(Kind.LIMIT).forEach((entry) -> limits.put(entry.nanos(), (int) entry.number(1)));
		List<Run> limited = this.runs.stream().filter((run) -> run.queue.equals(Queues.LIMITED.title())).toList();
		List<Run> running = new ArrayList<>();
		for (Run run : limited) {
			running.removeIf((other) -> other.until() <= run.start);
			if (run.until() <= run.start) {
				continue;
			}
			running.add(run);
			// A job may have been claimed by an earlier limit, and start up to a lease
			// later.
			Long since = limits.floorKey(run.start - this.lease);
			int most = limits.subMap((since != null) ? since : Long.MIN_VALUE, true, run.start, true)
				.values()
				.stream()
				.mapToInt(Integer::intValue)
				.max()
				.orElse(Queues.FIRST_LIMIT);
			this.mostAtOnce.merge(most, running.size(), Math::max);
			if (running.size() > most) {
				violation("limit exceeded", running.size() + " jobs ran at once where " + most + " may: " + running);
			}
		}
	}

	private void noLaneIsOverfull() {
		eachStart(Queues.LANED, (run, others) -> {
			this.mostInALane = Math.max(this.mostInALane, others.size() + 1);
			if (others.size() >= Queues.LANE_LIMIT) {
				violation("lane overfull", run + " ran in lane '" + run.key + "' beside " + others + ", where "
						+ Queues.LANE_LIMIT + " may run at once");
			}
		});
	}

	private void everyOrderedLaneKeepsItsOrder() {
		Map<String, List<Turn>> lanes = new TreeMap<>();
		Map<String, Turn> turns = new HashMap<>();
		for (List<Run> runs : jobs()) {
			Run first = runs.get(0);
			if (first.queue.equals(Queues.ORDERED.title())) {
				Turn turn = new Turn(first, endOf(runs));
				turns.put(first.ref, turn);
				lanes.computeIfAbsent(first.key, (lane) -> new ArrayList<>()).add(turn);
				this.begunAgain += (runs.size() > 1) ? 1 : 0;
			}
		}
		lanes.values().forEach(this::eachJobHoldsItsLane);
		// It may have been stored later than the next one.
		of(Kind.UNSURE).forEach((entry) -> turns.remove(entry.word(0)));
		jobsBeginAsTheyWereEnqueued(turns);
	}

	/**
	 * A job that has begun keeps its lane until its end, however often it is put off,
	 * fails or loses its worker.
	 */
	private void eachJobHoldsItsLane(List<Turn> lane) {
		lane.sort(Comparator.comparingLong((turn) -> turn.run.start));
		Turn before = lane.get(0);
		for (Turn turn : lane.subList(1, lane.size())) {
			if (before.end > turn.run.start && !failedOverBetween(before.run.start, turn.run.start)) {
				violation("lane not held",
						turn.run + " began in lane '" + turn.run.key + "' before the end of " + before.run);
			}
			before = (turn.end > before.end) ? turn : before;
		}
	}

	/**
	 * The order is that of due times, so it is known of jobs whose producer had the same
	 * reading of the clock.
	 */
	private void jobsBeginAsTheyWereEnqueued(Map<String, Turn> turns) {
		Map<List<Object>, Turn> latest = new HashMap<>();
		for (Entry offer : of(Kind.OFFERED)) {
			Turn turn = turns.get(offer.word(0));
			List<Object> line = (turn != null) ? line(offer) : List.of();
			if (turn == null || line.isEmpty()) {
				continue;
			}
			Turn before = latest.get(line);
			if (before != null && before.run.start > turn.run.start
					&& !failedOverBetween(offer.nanos() - this.lease, before.run.start)) {
				violation("lane out of order", turn.run + " began in lane '" + turn.run.key + "' before " + before.run
						+ ", which was enqueued earlier");
			}
			latest.merge(line, turn, (one, other) -> (one.run.start > other.run.start) ? one : other);
		}
	}

	/**
	 * Return when a job had come to its end.
	 */
	private long endOf(List<Run> runs) {
		return runs.stream()
			.filter((run) -> run.to.equals("REMOVED") || ("done".equals(run.result) && wasEnqueueUnderWay(run)))
			.mapToLong((run) -> run.end)
			.min()
			.orElseGet(() -> runs.stream()
				.filter((run) -> "done".equals(run.result))
				.mapToLong((run) -> run.end)
				.min()
				.orElse(Long.MAX_VALUE));
	}

	/**
	 * Return who enqueued a job in which lane, by which reading of the clock of the
	 * server, or nothing if that is in doubt.
	 */
	private List<Object> line(Entry offer) {
		Long acknowledged = this.acknowledged.get(offer.word(0));
		NavigableMap<Long, Long> asked = this.asked.getOrDefault(offer.process(), new TreeMap<>());
		Long reading = asked.floorKey(offer.nanos());
		return (acknowledged != null && reading != null && reading.equals(asked.floorKey(acknowledged)))
				? List.of(offer.process(), offer.word(2), reading) : List.of();
	}

	/**
	 * All starts count, also those of workers that have lost their lease.
	 */
	private void noRateIsExceeded() {
		List<Run> rated = this.runs.stream().filter((run) -> run.queue.equals(Queues.RATED.title())).toList();
		noRateIsExceeded(Queues.RATE, rated);
		rated.stream()
			.collect(Collectors.groupingBy((run) -> run.key))
			.values()
			.forEach((lane) -> noRateIsExceeded(Queues.LANE_RATE, lane));
	}

	private void noRateIsExceeded(Rate rate, List<Run> runs) {
		Deque<Run> window = new ArrayDeque<>();
		for (Run run : runs) {
			window.add(run);
			while (run.start - window.element().start >= rate.getWindow().toNanos() - SKEW) {
				window.remove();
			}
			long from = window.element().start;
			if (wasClockInDoubtBetween(from, run.start) || failedOverBetween(from, run.start)) {
				continue;
			}
			this.mostInAWindow.merge(rate, window.size(), Math::max);
			if (window.size() > rate.getStarts()) {
				violation("rate exceeded",
						window.size() + " jobs started within " + Duration.ofNanos(run.start - from).toMillis()
								+ " ms where " + rate.getStarts() + " may: " + window);
			}
		}
	}

	/**
	 * Return whether the clock of the server was set then, or may have been unknown to a
	 * worker whose connection or process was held up.
	 */
	private boolean wasClockInDoubtBetween(long from, long to) {
		for (int i = 1; i < this.serverTimes.size(); i++) {
			if (this.serverTimes.get(i).from <= to && plus(this.serverTimes.get(i - 1).until, 3 * this.lease) >= from) {
				return true;
			}
		}
		return false;
	}

	private void noKeyIsHeldTwice() {
		eachStart(Queues.KEYED,
				(run, others) -> others.stream()
					.filter((other) -> !other.job.equals(run.job))
					.forEach((other) -> violation("key held twice",
							run + " ran beside " + other + " with the same key '" + run.key + "'")));
	}

	/**
	 * Visit each start whose worker was sure of the job, with the runs of the same key
	 * that were under way and whose workers were sure too.
	 */
	private void eachStart(Queues queue, BiConsumer<Run, List<Run>> visitor) {
		Map<String, List<Run>> running = new HashMap<>();
		for (Run run : this.runs) {
			if (!run.queue.equals(queue.title()) || run.key.equals("-") || run.until() <= run.start) {
				continue;
			}
			List<Run> others = running.computeIfAbsent(run.key, (key) -> new ArrayList<>());
			others.removeIf((other) -> other.until() <= run.start);
			visitor.accept(run, List.copyOf(others));
			others.add(run);
		}
	}

	/**
	 * What was claimed before a pause may start up to a lease after it, and not later.
	 */
	private void nothingStartsInAPausedQueue() {
		List<Entry> resumptions = of(Kind.RESUMING);
		for (Entry pause : of(Kind.PAUSED)) {
			long until = resumptions.stream()
				.filter((entry) -> entry.word(0).equals(pause.word(0)) && entry.nanos() > pause.nanos())
				.mapToLong(Entry::nanos)
				.findFirst()
				.orElse(Long.MAX_VALUE);
			if (mayGetLost(pause.nanos())) {
				continue;
			}
			this.runs.stream()
				.filter((run) -> run.queue.equals(pause.word(0)) && run.until() > run.start)
				.filter((run) -> run.start > pause.nanos() + this.lease + SKEW && run.start < until)
				.forEach((run) -> violation("started while paused", run + " started "
						+ Duration.ofNanos(run.start - pause.nanos()).toMillis() + " ms after its queue was paused"));
		}
	}

	/**
	 * At least once means that a job may run again only if something has happened to its
	 * first run.
	 */
	private void everyRepeatHasACause() {
		for (List<Run> runs : jobs()) {
			for (int i = 1; i < runs.size(); i++) {
				Run first = runs.get(i - 1);
				Run next = runs.get(i);
				String cause = causeOfRepeat(first, next);
				if (cause == null) {
					violation("repeated without a cause", next + " ran again after " + first
							+ ", which had ended well and whose worker was sure of it");
				}
				else if (!cause.isEmpty()) {
					this.repeats.merge(cause, 1L, Long::sum);
				}
			}
		}
	}

	private @Nullable String causeOfRepeat(Run first, Run next) {
		if (first.result != null && !first.result.equals("done")) {
			return "";
		}
		if (this.killings.getOrDefault(first.process, Long.MAX_VALUE) < next.start && !first.isAccepted()) {
			return "its worker was killed";
		}
		if (first.to.equals("FRONT") && this.stoppings.getOrDefault(first.process, Long.MAX_VALUE) < first.end) {
			return "its worker was asked to end and did not wait for it";
		}
		if (wasEnqueueUnderWay(first)) {
			return "its enqueue was sent again by the driver after it had ended";
		}
		if (failedOverBetween(first.start, next.start)) {
			return "another server took over";
		}
		if (first.takenAfterALeap <= next.start && !first.isAccepted()) {
			return "a worker started just after the clock of the server had been set ahead";
		}
		if (first.safeUntil < next.start && !first.isAccepted()) {
			return "its worker lost its lease";
		}
		if (first.safeUntil < next.start && first.isAccepted() && first.accepted > next.start) {
			return "its worker lost its lease";
		}
		// The later run is the older one: its worker was held up between its last read of
		// the lease and the first line of the handler.
		if (next.token < first.token && !next.isAccepted()
				&& (next.safeUntil <= next.start || endedAsTheLossWasLearnt(next, first.start))) {
			return "its worker lost its lease";
		}
		return null;
	}

	/**
	 * Return whether a run of a worker whose lease was lost was asked to stop as soon as
	 * the next beat was confirmed, though it came to its first line only then.
	 */
	private boolean endedAsTheLossWasLearnt(Run run, long takenOver) {
		NavigableMap<Long, Long> beats = this.beats.getOrDefault(run.process, new TreeMap<>());
		Long last = lastConfirmed(beats, run.start);
		Long before = (last != null) ? beats.lowerKey(last) : null;
		if (last == null || before == null) {
			return false;
		}
		long learnt = beats.getOrDefault(last, Long.MAX_VALUE);
		return learnt > before + sure() && takenOver < learnt
				&& ("interrupted".equals(run.result) || run.end <= learnt + SKEW);
	}

	/**
	 * Return whether a process was killed or asked to end.
	 */
	boolean wasEnded(String process) {
		return this.killings.containsKey(process) || this.stoppings.containsKey(process);
	}

	/**
	 * Return whether the handler of a run ended while the enqueue of its job had not
	 * returned yet. If the reply got lost the enqueue is repeated, and may find no trace
	 * of the job any more.
	 */
	boolean wasEnqueueUnderWay(Run run) {
		boolean enqueued = !run.queue.equals(Queues.TICKS.title());
		return enqueued && run.end < this.acknowledged.getOrDefault(run.ref, Long.MAX_VALUE);
	}

	/**
	 * The jobs of a worker that was killed are its own for a lease by the clock of the
	 * server, however that jumps.
	 */
	private void everyKilledRunIsTakenOver() {
		for (Run run : this.runs) {
			long killed = this.killings.getOrDefault(run.process, Long.MAX_VALUE);
			if (run.end < killed || killed == Long.MAX_VALUE || failedOverBetween(run.start, killed + TAKEN_OVER)) {
				continue;
			}
			Long next = this.takeOvers.getOrDefault(run.job, List.of())
				.stream()
				.map(Entry::nanos)
				.filter((at) -> at > run.start)
				.min(Comparator.naturalOrder())
				.orElse(null);
			long time = (next != null) ? next - killed : Long.MAX_VALUE;
			this.longestTakeOver = Math.max(this.longestTakeOver, time);
			if (time > TAKEN_OVER) {
				violation("taken over late", run + " was cut by the end of its worker and " + ((next != null)
						? "taken over " + Duration.ofNanos(time).toMillis() + " ms later" : "never taken over"));
			}
		}
	}

	private void everyTickRunsOnce() {
		Map<String, NavigableMap<Long, Set<String>>> schedules = new TreeMap<>();
		for (Run run : this.runs) {
			if (run.queue.equals(Queues.TICKS.title())) {
				schedules.computeIfAbsent(run.schedule(), (schedule) -> new TreeMap<>())
					.computeIfAbsent(run.tick(), (tick) -> new HashSet<>())
					.add(run.job);
			}
		}
		if (schedules.isEmpty()) {
			violation("tick missed", "no schedule has ever ticked");
		}
		schedules.forEach(this::everyTickRunsOnce);
	}

	private void everyTickRunsOnce(String schedule, NavigableMap<Long, Set<String>> ticks) {
		ticks.forEach((tick, jobs) -> {
			if (jobs.size() > 1 && !failedOverAround(tick)) {
				violation("tick doubled",
						"the tick of second " + tick + " of '" + schedule + "' enqueued the jobs " + jobs);
			}
		});
		// The last ones may have been enqueued by workers that were just ending, which
		// the lab asks for only when it has seen the ticks continue after the calm.
		long calm = of(Kind.CALM).stream().mapToLong(Entry::nanos).findFirst().orElseThrow();
		long last = Math.max(ticks.lastKey() - 2, (calm + this.epoch) / SECOND);
		for (long tick = ticks.firstKey(); tick <= last; tick++) {
			if (!ticks.containsKey(tick) && !failedOverAround(tick)) {
				violation("tick missed", "no job ran for second " + tick + " of '" + schedule + "'");
			}
		}
	}

	private boolean failedOverAround(long tick) {
		long at = shown(tick);
		long around = this.lease + SECOND;
		return this.failovers.entrySet()
			.stream()
			.anyMatch((failover) -> at >= failover.getKey() - around && at - around <= failover.getValue());
	}

	/**
	 * Return what the shared counter was when the clock of the server showed that a
	 * second began, or was past it, for the first time.
	 */
	private long shown(long second) {
		long at = nanosOf(second);
		for (ServerTime time : this.serverTimes) {
			if (time.until + time.ahead >= at) {
				return Math.max(time.from, at - time.ahead);
			}
		}
		return at;
	}

	/**
	 * Return the latest time that a worker may have read from the clock of the server, by
	 * the counter. It goes by what it has learnt until the next beat, and what it sends
	 * may be held up.
	 */
	private long latestKnown(long from, long to) {
		long latest = Long.MIN_VALUE;
		for (ServerTime time : this.serverTimes) {
			long known = Math.min(to, plus(time.until, 3 * this.lease));
			if (time.from <= to && known >= from) {
				latest = Math.max(latest, known + time.ahead);
			}
		}
		return latest;
	}

	/**
	 * Return how far the clock of the server was ahead when a producer has read it last
	 * before its offer was stored.
	 */
	private long aheadFor(Entry offer) {
		Map.Entry<Long, Long> asked = this.asked.getOrDefault(offer.process(), new TreeMap<>())
			.floorEntry(offer.nanos());
		long from = (asked != null) ? asked.getValue() : offer.nanos();
		long to = this.acknowledged.getOrDefault(offer.word(0), offer.nanos());
		return this.serverTimes.stream()
			.filter((time) -> time.from <= to && time.until >= from)
			.mapToLong((time) -> time.ahead)
			.min()
			.orElse(0);
	}

	private static long plus(long nanos, long more) {
		return (nanos == Long.MAX_VALUE) ? nanos : nanos + more;
	}

	/**
	 * Return what the shared counter was when a second began.
	 */
	private long nanosOf(long second) {
		return second * SECOND - this.epoch;
	}

	private void nothingIsEarly() {
		Map<String, Entry> offers = offers();
		for (Run run : this.runs) {
			Entry offer = offers.get(run.ref);
			long due = Long.MIN_VALUE;
			long since = Long.MIN_VALUE;
			if (run.queue.equals(Queues.TICKS.title())) {
				due = nanosOf(run.tick());
			}
			else if (offer != null) {
				due = offer.nanos() + aheadFor(offer) + Duration.ofMillis(offer.number(3)).toNanos();
				since = offer.nanos();
			}
			long known = latestKnown(since, run.start);
			if (known + SKEW < due) {
				violation("early",
						run + " started " + Duration.ofNanos(due - known).toMillis() + " ms before it was due");
			}
		}
	}

	// --- what was counted

	private Instant begin() {
		return of(Kind.CLOCK).stream()
			.findFirst()
			.map((entry) -> Instant.ofEpochMilli(entry.number(0)))
			.orElse(Instant.EPOCH);
	}

	private Duration duration() {
		return Duration.ofNanos(this.entries.get(this.entries.size() - 1).nanos() - this.entries.get(0).nanos());
	}

	private Map<String, Long> figures() {
		Map<String, Long> figures = new LinkedHashMap<>();
		figures.put("jobs offered", (long) of(Kind.OFFERED).size());
		figures.put("jobs acknowledged", (long) of(Kind.ACKNOWLEDGED).size());
		figures.put("enqueues that found their key held", (long) of(Kind.DUPLICATE).size());
		figures.put("enqueues that failed", (long) of(Kind.REFUSED).size());
		figures.put("enqueues of unknown outcome", (long) of(Kind.UNSURE).size());
		figures.put("runs", (long) this.runs.size());
		figures.put("ends that came too late and were refused",
				of(Kind.SETTLED).stream().filter((entry) -> entry.word(3).equals("LOST")).count());
		figures.put("ticks",
				this.runs.stream()
					.filter((run) -> run.queue.equals(Queues.TICKS.title()))
					.map((run) -> run.ref)
					.distinct()
					.count());
		this.mostAtOnce
			.forEach((limit, most) -> figures.put("most limited jobs at once where " + limit + " may", (long) most));
		figures.put("most jobs of a lane at once where " + Queues.LANE_LIMIT + " may", (long) this.mostInALane);
		figures.put("jobs of ordered lanes that began more than once", this.begunAgain);
		this.mostInAWindow.forEach((rate, most) -> figures.put(
				"most starts in " + rate.getWindow().toMillis() + " ms where " + rate.getStarts() + " may",
				(long) most));
		figures.put("longest milliseconds until the jobs of a killed worker were taken over",
				Duration.ofNanos(this.longestTakeOver).toMillis());
		figures.putAll(this.figuresOfOrders);
		figures.put("jumps of the server's clock", (long) this.serverTimes.size() - 1);
		figures.put("pauses of a queue", (long) of(Kind.PAUSED).size());
		figures.put("takeovers by another server", (long) this.failovers.size());
		figures.put("processes killed", (long) this.killings.size());
		figures.put("processes stopped", (long) this.stoppings.size());
		return figures;
	}

	/**
	 * After a fault of a worker, the time until all that it ran then runs elsewhere or
	 * has ended; after any other, the time from its end until the next job has ended.
	 */
	private List<Recovery> recoveries() {
		Map<Long, Long> healed = of(Kind.HEALED).stream()
			.collect(Collectors.toMap((entry) -> entry.number(0), Entry::nanos));
		TreeSet<Long> accepted = this.runs.stream()
			.filter(Run::isAccepted)
			.map((run) -> run.accepted)
			.collect(Collectors.toCollection(TreeSet::new));
		Map<Fault, List<Long>> times = new EnumMap<>(Fault.class);
		for (Entry entry : of(Kind.FAULT)) {
			Fault fault = Fault.valueOf(entry.word(1));
			long from = healed.getOrDefault(entry.number(0), entry.nanos());
			Long next = accepted.higher(from);
			long time = (next != null) ? next - from : 0;
			if (fault == Fault.KILL_WORKER || fault == Fault.FREEZE_WORKER) {
				time = Math.max(0, takenOver(entry.word(2), entry.nanos()) - entry.nanos());
			}
			times.computeIfAbsent(fault, (key) -> new ArrayList<>()).add(Duration.ofNanos(time).toMillis());
		}
		return times.entrySet().stream().map((entry) -> {
			List<Long> sorted = entry.getValue().stream().sorted(Comparator.naturalOrder()).toList();
			return new Recovery(entry.getKey(), sorted.size(), sorted.get(sorted.size() / 2),
					sorted.get(sorted.size() - 1));
		}).toList();
	}

	/**
	 * A job's time in its lane.
	 *
	 * @param run its first run
	 * @param end when it had come to its end; the end of time if never
	 */
	private record Turn(Run run, long end) {

	}

	/**
	 * What the servers took for the time during a while.
	 */
	private static final class ServerTime {

		private final long from;

		private final long ahead;

		private long until = Long.MAX_VALUE;

		ServerTime(long from, long ahead) {
			this.from = from;
			this.ahead = ahead;
		}

	}

	private long takenOver(String process, long at) {
		long last = at;
		for (Run run : this.runs) {
			if (run.process.equals(process) && run.start < at && run.end > at) {
				long again = this.runsOfJobs.getOrDefault(run.job, List.of())
					.stream()
					.filter((other) -> other.start > at)
					.mapToLong((other) -> other.start)
					.min()
					.orElse(Long.MAX_VALUE);
				long over = Math.min(again, run.end);
				last = (over < Long.MAX_VALUE) ? Math.max(last, over) : last;
			}
		}
		return last;
	}

}
