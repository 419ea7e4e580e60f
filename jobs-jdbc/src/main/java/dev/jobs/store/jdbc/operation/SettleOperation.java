package dev.jobs.store.jdbc.operation;

import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.UnitOfWork;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionSystemException;

/**
 * One settle: it ends runs, and finds out why others could not be ended.
 */
public final class SettleOperation {

	private final UnitOfWork work;

	private final List<Transition> transitions;

	private final EndedRuns runs;

	private final boolean committed;

	/**
	 * Create a settle.
	 * @param committed whether each statement commits itself
	 */
	public SettleOperation(UnitOfWork work, List<Transition> transitions, Instant now, boolean committed) {
		this.work = work;
		this.transitions = transitions;
		this.runs = new EndedRuns(work, EpochMillis.of(now), committed);
		this.committed = committed;
	}

	public List<Settled> run() {
		Map<Held, Integer> first = new LinkedHashMap<>();
		IntStream.range(0, this.transitions.size())
			.forEach((i) -> first.putIfAbsent(Held.by(this.transitions.get(i)), i));
		Settled[] reply = new Settled[this.transitions.size()];
		this.runs.end(first.values().stream().map(this.transitions::get).toList())
			.forEach((ended) -> reply[Objects.requireNonNull(first.get(Held.by(ended)))] = Settled.APPLIED);
		try {
			explain(reply);
		}
		catch (DataAccessException ex) {
			if (this.committed && Arrays.asList(reply).contains(Settled.APPLIED)) {
				throw new TransactionSystemException("A part of the settle failed", ex);
			}
			throw ex;
		}
		return Arrays.asList(reply);
	}

	/**
	 * Find out why transitions were not applied.
	 */
	private void explain(Settled[] reply) {
		List<Integer> left = IntStream.range(0, reply.length)
			.filter((i) -> reply[i] != Settled.APPLIED)
			.boxed()
			.toList();
		if (left.isEmpty()) {
			return;
		}
		Map<String, Integer> applied = new HashMap<>();
		IntStream.range(0, reply.length)
			.filter((i) -> reply[i] == Settled.APPLIED)
			.forEach((i) -> applied.put(this.transitions.get(i).id(), i));
		Map<String, Long> tokens = new HashMap<>();
		this.work.statements()
			.query("select id, token from {job} where token is not null and id in (??)",
					(row, n) -> tokens.put(row.getString(1), row.getLong(2)),
					left.stream().map((i) -> this.transitions.get(i).id()).toList());
		for (int i : left) {
			Transition transition = this.transitions.get(i);
			Integer place = applied.get(transition.id());
			boolean lost = (place != null) ? i < place
					: tokens.getOrDefault(transition.id(), transition.token()) != transition.token();
			reply[i] = lost ? Settled.LOST : Settled.GONE;
		}
	}

	/**
	 * The run that a transition ends; a second end in one batch changes nothing.
	 *
	 * @param job the job
	 * @param token the token it is held under
	 */
	private record Held(String job, long token) {

		static Held by(Transition transition) {
			return new Held(transition.id(), transition.token());
		}

	}

}
