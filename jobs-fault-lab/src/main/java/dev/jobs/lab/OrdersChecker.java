package dev.jobs.lab;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.jobs.lab.Program.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Checks what the jobs of {@link Queues#ORDERS} remember: it interprets each program and
 * compares that with what the ledgers say about its runs.
 */
final class OrdersChecker {

	private static final String RESULT = "result";

	private final Checker checker;

	/** The runs of each job, in the order of their starts. */
	private final Map<String, List<Run>> runs = new LinkedHashMap<>();

	/** The effects of each step, by the job and the step. */
	private final Map<List<String>, List<Entry>> effects = new HashMap<>();

	/**
	 * Under which tokens a value is known to have been saved, by the job and its name.
	 */
	private final Map<List<String>, Set<Long>> saved = new HashMap<>();

	/** What operations returned, by the job. */
	private final Map<String, List<Entry>> values = new HashMap<>();

	/** The answers to signals, by their subject. */
	private final Map<String, List<Entry>> answers = new HashMap<>();

	private final List<Entry> results = new ArrayList<>();

	/** The rows of transactional steps, by the job and the step. */
	private final Map<List<String>, Long> rows = new HashMap<>();

	/** What was read of each signal first. */
	private final Map<String, Read> reads = new HashMap<>();

	private final Map<String, Long> figures = new LinkedHashMap<>();

	OrdersChecker(Checker checker) {
		this.checker = checker;
	}

	/**
	 * Take note of an entry.
	 */
	void read(Entry entry) {
		switch (entry.kind()) {
			case EFFECT ->
				this.effects.computeIfAbsent(List.of(entry.word(0), entry.word(2)), (step) -> new ArrayList<>(1))
					.add(entry);
			case SAVED -> this.saved.computeIfAbsent(List.of(entry.word(0), entry.word(2)), (name) -> new HashSet<>(2))
				.add(entry.number(1));
			case VALUES -> this.values.computeIfAbsent(entry.word(0), (job) -> new ArrayList<>()).add(entry);
			case SENT -> this.answers.computeIfAbsent(entry.word(0), (subject) -> new ArrayList<>(1)).add(entry);
			case RESULT -> this.results.add(entry);
			case ROWS -> this.rows.put(List.of(entry.word(0), entry.word(1)), entry.number(2));
			default -> {
			}
		}
	}

	/**
	 * Check everything.
	 * @param runs all runs
	 */
	Map<String, Long> check(List<Run> runs) {
		for (Run run : runs) {
			if (run.queue.equals(Queues.ORDERS.title())) {
				this.runs.computeIfAbsent(run.job, (job) -> new ArrayList<>()).add(run);
			}
		}
		count("effects of steps", this.effects.values().stream().mapToLong(List::size).sum());
		this.effects.forEach((step, effects) -> noEffectIsRepeatedWithoutACause(step.get(0), step.get(1), effects));
		this.runs.forEach((job, itsRuns) -> {
			noValueChanges(job, itsRuns);
			everyResultIsThatOfTheProgram(job, itsRuns);
		});
		this.answers.forEach((subject, answers) -> theFirstSignalCounts(subject, answers));
		this.results.forEach(this::noResultIsLostOrStale);
		this.rows.forEach((step, rows) -> noTransactionalStepIsRepeated(step.get(0), step.get(1), rows));
		count("transactional steps", this.rows.size());
		return this.figures;
	}

	private void count(String what, long number) {
		this.figures.merge(what, number, Long::sum);
	}

	/**
	 * Return whether the job may have been forgotten meanwhile, with all that it
	 * remembered.
	 */
	private boolean mayBeForgotten(String job, long from, long to) {
		return this.checker.failedOverBetween(from, to) || wasStoredAgain(job);
	}

	/**
	 * Return whether its enqueue may have been repeated when the job had ended.
	 */
	private boolean wasStoredAgain(String job) {
		List<Run> runs = this.runs.getOrDefault(job, List.of());
		return runs.stream()
			.anyMatch((run) -> "done".equals(run.result) && this.checker.wasEnqueueUnderWay(run)
					&& runs.get(runs.size() - 1).start > run.end);
	}

	private @Nullable Run run(String job, long token) {
		return this.runs.getOrDefault(job, List.of())
			.stream()
			.filter((run) -> run.token == token)
			.findFirst()
			.orElse(null);
	}

	/**
	 * A step has another effect only if the run that had the one before ended before its
	 * value was saved: it was killed, or lost its lease.
	 */
	private void noEffectIsRepeatedWithoutACause(String job, String step, List<Entry> effects) {
		Set<Long> saved = this.saved.getOrDefault(List.of(job, step), Set.of());
		for (int i = 1; i < effects.size(); i++) {
			Entry before = effects.get(i - 1);
			Entry again = effects.get(i);
			Run first = run(job, before.number(1));
			Run next = run(job, again.number(1));
			count("effects of steps that were repeated", 1);
			if (first == null || next == null || mayBeForgotten(job, first.start, again.nanos())) {
				continue;
			}
			if (first.token == next.token) {
				this.checker.violation("step repeated", "step '" + step + "' was done twice in one run of " + first);
			}
			else if (saved.contains(first.token) && next.token > first.token) {
				this.checker.violation("step repeated",
						"step '" + step + "' was done in " + next + " although it was saved in " + first);
			}
			else if (!wasCut(first, again.nanos()) && next.token > first.token) {
				this.checker.violation("step repeated", "step '" + step + "' was done in " + next
						+ " although nothing had happened to " + first + " in it");
			}
		}
	}

	/**
	 * Return whether a run had no chance to save what it did.
	 */
	private boolean wasCut(Run run, long until) {
		return run.safeUntil < until || "lost".equals(run.result)
				|| (run.result == null && this.checker.wasEnded(run.process));
	}

	/**
	 * What an operation has returned once it returns for ever, in all runs; a cursor only
	 * moves on.
	 */
	private void noValueChanges(String job, List<Run> runs) {
		Map<String, String> known = new HashMap<>();
		List<Entry> values = this.values.getOrDefault(job, List.of())
			.stream()
			.sorted(Comparator.comparingLong((entry) -> entry.number(1)))
			.toList();
		for (Entry entry : values) {
			Map<String, String> returned = valuesOf(entry);
			returned.remove(RESULT);
			returned.forEach((operation, value) -> {
				String before = known.put(operation, value);
				boolean cursor = operation.startsWith("c");
				boolean changed = before != null
						&& (cursor ? Integer.parseInt(before) > Integer.parseInt(value) : !before.equals(value));
				if (changed && !mayBeForgotten(job, runs.get(0).start, entry.nanos())) {
					this.checker.violation("value changed", (cursor ? "cursor '" : "step '") + operation + "' of job "
							+ job + " (" + runs.get(0).ref + ") returned " + value + " after " + before);
				}
			});
		}
	}

	private static Map<String, String> valuesOf(Entry entry) {
		Map<String, String> values = new TreeMap<>();
		List<String> words = entry.words();
		for (String word : words.subList(2, words.size())) {
			int sign = word.indexOf('=');
			values.put(word.substring(0, sign), word.substring(sign + 1));
		}
		return values;
	}

	private static String before(String result) {
		int by = result.indexOf(Orders.BY);
		return (by < 0) ? result : result.substring(0, by);
	}

	private void everyResultIsThatOfTheProgram(String job, List<Run> runs) {
		Program program = Program.of(runs.get(0).ref);
		boolean done = false;
		Map<Integer, Run> over = new HashMap<>();
		for (Entry entry : this.values.getOrDefault(job, List.of())) {
			Run run = run(job, entry.number(1));
			Map<String, String> returned = valuesOf(entry);
			Map<Integer, String> outcomes = new HashMap<>();
			for (Operation operation : program.operations()) {
				String value = returned.get(operation.name());
				if (value != null && operation.kind() == Program.Kind.TRANSACTIONAL && !this.rows.isEmpty()
						&& !this.rows.containsKey(List.of(job, operation.name()))) {
					this.checker.violation("row missing", "what transactional step '" + operation.number() + "' of job "
							+ job + " has written was not committed");
				}
				if (run == null || value == null || !operation.kind().waits()) {
					continue;
				}
				outcomes.put(operation.number(), value);
				if (value.equals(Orders.OVER)) {
					over.putIfAbsent(operation.number(), run);
				}
				else {
					read(program.subject(operation), value, run, entry.nanos());
				}
			}
			String result = returned.get(RESULT);
			if (result != null && !before(result).equals(program.result(outcomes))) {
				this.checker.violation("wrong result",
						run + " returned " + before(result) + " instead of " + program.result(outcomes));
			}
			done |= result != null;
		}
		over.forEach((number, run) -> noSignalIsLost(program, program.operations().get(number), run, runs));
		count("programs", done ? 1 : 0);
		count("operations of programs", done ? program.operations().size() : 0);
		count("waits that ended with their time", over.size());
	}

	private void read(String subject, String value, Run run, long at) {
		Read first = this.reads.putIfAbsent(subject, new Read(value, run, at));
		if (first != null && !first.value.equals(value)
				&& !this.checker.failedOverBetween(Math.min(first.run.start, run.start), Math.max(first.at, at))) {
			this.checker.violation("signal changed", "the signal about " + subject + " was " + value + " for " + run
					+ " and " + first.value + " for " + first.run);
		}
	}

	/**
	 * A signal that was acknowledged before a run began was there when this run looked,
	 * unless an earlier run had found that the time was over.
	 */
	private void noSignalIsLost(Program program, Operation operation, Run over, List<Run> runs) {
		String subject = program.subject(operation);
		for (Entry answer : this.answers.getOrDefault(subject, List.of())) {
			boolean was = !answer.word(2).equals("UNKNOWN") && answer.nanos() < over.start
					&& !this.checker.failedOverBetween(answer.nanos(), over.start);
			boolean mayHaveDecided = runs.stream()
				.anyMatch((run) -> run != over && run.start < answer.nanos()
						&& (run.end > over.start || wasCut(run, over.start)));
			if (was && !mayHaveDecided) {
				this.checker.violation("signal lost",
						"the time was over for " + over + ", which began " + (over.start - answer.nanos()) / 1_000_000
								+ " ms after the signal about " + subject + " was acknowledged");
				return;
			}
		}
	}

	private void theFirstSignalCounts(String subject, List<Entry> answers) {
		count("signals sent", answers.size());
		List<Entry> first = answers.stream().filter((entry) -> entry.word(2).equals("SENT")).toList();
		count("signals that found another one kept",
				answers.stream().filter((entry) -> entry.word(2).equals("ALREADY")).count());
		if (first.size() > 1
				&& !this.checker.failedOverBetween(first.get(0).nanos(), first.get(first.size() - 1).nanos())) {
			this.checker.violation("signal taken twice", "two signals about " + subject + " were the first: " + first);
		}
		Read read = this.reads.get(subject);
		if (read != null && !first.isEmpty() && !first.get(0).word(1).equals(read.value)
				&& !this.checker.failedOverBetween(Math.min(first.get(0).nanos(), read.run.start),
						Math.max(first.get(first.size() - 1).nanos(), read.at))) {
			this.checker.violation("signal changed", "the signal about " + subject + " was " + read.value + " for "
					+ read.run + ", but " + first.get(0).word(1) + " was the first");
		}
		count("waits that got their signal", (read != null) ? 1 : 0);
	}

	/**
	 * A result that somebody got is that of the run that ended the job.
	 */
	private void noResultIsLostOrStale(Entry entry) {
		String job = entry.word(0);
		List<Run> runs = this.runs.getOrDefault(job, List.of());
		// A job that never ran may have been lost at any time.
		long since = runs.isEmpty() ? Long.MIN_VALUE / 2 : runs.get(0).start;
		count("results that were asked for", 1);
		if (mayBeForgotten(job, since, entry.nanos())) {
			return;
		}
		if (entry.word(1).equals("none")) {
			this.checker.violation("result lost", "job " + job + " had no result for " + entry.process());
			return;
		}
		Entry returned = this.values.getOrDefault(job, List.of())
			.stream()
			.filter((values) -> entry.word(1).equals(valuesOf(values).get(RESULT)))
			.findFirst()
			.orElse(null);
		if (returned == null) {
			this.checker.violation("wrong result", "no run of job " + job + " returned " + entry.word(1));
			return;
		}
		runs.stream()
			.filter((run) -> run.token > returned.number(1))
			.findFirst()
			.ifPresent((run) -> this.checker.violation("stale result", entry.process() + " got what a run under token "
					+ returned.number(1) + " returned, before " + run));
	}

	private void noTransactionalStepIsRepeated(String job, String step, long rows) {
		if (rows > 1 && !wasStoredAgain(job)) {
			this.checker.violation("row doubled",
					"transactional step '" + step + "' of job " + job + " was committed " + rows + " times");
		}
	}

	/**
	 * What a run read of a signal.
	 */
	private record Read(String value, Run run, long at) {

	}

}
