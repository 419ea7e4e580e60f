package dev.jobs.store.redis.partition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.End;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Reply;

/**
 * Writes transitions for the script that settles, and reads its reply. Jobs that are
 * simply removed come first, grouped by queue and token, the others one by one. Ends to
 * keep are before both, and their number tells the script to check more keys.
 */
final class SettleCall {

	private static final int MOST_TOGETHER = 1000;

	private final List<Transition> transitions;

	private final Arguments arguments;

	/** The indexes of the transitions, in the order in which they are written. */
	private final List<Integer> written = new ArrayList<>();

	SettleCall(List<Transition> transitions, Instant now) {
		this.transitions = transitions;
		Map<Batch, List<Integer>> removed = new LinkedHashMap<>();
		List<Integer> others = new ArrayList<>();
		Set<String> ids = new HashSet<>();
		for (int i = 0; i < transitions.size(); i++) {
			Transition transition = transitions.get(i);
			if (ids.add(transition.id()) && transition.to() == Transition.To.REMOVED) {
				Batch batch = new Batch(transition.queue(), transition.token(), ids.size() / MOST_TOGETHER);
				removed.computeIfAbsent(batch, (key) -> new ArrayList<>()).add(i);
			}
			else {
				others.add(i);
			}
		}
		removed.values().forEach(this.written::addAll);
		this.written.addAll(others);
		Map<Integer, End> ends = ends();
		boolean plain = ends.isEmpty() && transitions.stream().noneMatch((each) -> each.to() == Transition.To.WAITING);
		this.arguments = Arguments.at(now).add(removed.size() + (plain ? "" : "," + ends.size()));
		ends.forEach((place, end) -> this.arguments.add(place).add(Formats.kept(end)));
		removed.forEach(this::write);
		others.forEach((index) -> write(transitions.get(index)));
	}

	private Map<Integer, End> ends() {
		Map<Integer, End> ends = new LinkedHashMap<>();
		for (int place = 0; place < this.written.size(); place++) {
			End end = this.transitions.get(this.written.get(place)).end();
			if (end != null) {
				ends.put(place, end);
			}
		}
		return ends;
	}

	private void write(Batch batch, List<Integer> indexes) {
		this.arguments.add(batch.queue()).add(batch.token()).add(indexes.size());
		indexes.forEach((index) -> this.arguments.add(this.transitions.get(index).id()));
	}

	private void write(Transition transition) {
		this.arguments.add(transition.id())
			.add(transition.queue())
			.add(transition.token())
			.add(transition.to().name())
			.add(transition.at())
			.add(Formats.trail(transition))
			.add(transition.keepsLane() ? 1 : 0);
	}

	Arguments arguments() {
		return this.arguments;
	}

	/**
	 * Read what happened to each transition, in their order.
	 */
	List<Settled> read(Reply reply) {
		Settled[] settled = new Settled[this.transitions.size()];
		Arrays.fill(settled, Settled.APPLIED);
		while (reply.hasMore()) {
			settled[this.written.get((int) reply.number())] = Settled.valueOf(reply.text());
		}
		return Arrays.asList(settled);
	}

	/**
	 * Jobs that are removed by one command.
	 *
	 * @param queue their queue
	 * @param token the token they are held under
	 * @param number the number of the batch, if they are too many for one command
	 */
	private record Batch(String queue, long token, int number) {

	}

}
