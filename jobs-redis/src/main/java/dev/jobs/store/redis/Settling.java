package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import dev.jobs.store.Settled;
import dev.jobs.store.Transition;

/**
 * One settling of any number of jobs. Those that are simply gone are told by queue and
 * token and come first, the others one by one.
 */
final class Settling {

	private static final int MOST_TOGETHER = 1000;

	private final Round round;

	private final Partitions partitions;

	private final List<Transition> transitions;

	private final Instant now;

	Settling(Round round, Partitions partitions, List<Transition> transitions, Instant now) {
		this.round = round;
		this.partitions = partitions;
		this.transitions = transitions;
		this.now = now;
	}

	List<Settled> run() {
		Map<Integer, List<Integer>> sent = new LinkedHashMap<>();
		this.partitions.split(places(), (place) -> this.transitions.get(place).queue())
			.forEach((partition, places) -> sent.put(partition, send(partition, places)));
		Settled[] settled = new Settled[this.transitions.size()];
		Arrays.fill(settled, Settled.UNDECIDED);
		this.round.replies().forEach((partition, reply) -> {
			List<Integer> places = sent.getOrDefault(partition, List.of());
			places.forEach((place) -> settled[place] = Settled.APPLIED);
			while (reply.hasMore()) {
				settled[places.get((int) reply.number())] = Settled.valueOf(reply.text());
			}
		});
		return Arrays.asList(settled);
	}

	private List<Integer> places() {
		return IntStream.range(0, this.transitions.size()).boxed().toList();
	}

	/**
	 * Send transitions to a partition.
	 * @return their places, in the order in which they were sent
	 */
	private List<Integer> send(int partition, List<Integer> places) {
		Map<Held, List<Integer>> gone = new LinkedHashMap<>();
		List<Integer> others = new ArrayList<>();
		Set<String> ids = new HashSet<>();
		for (int place : places) {
			Transition transition = this.transitions.get(place);
			if (ids.add(transition.id()) && transition.to() == Transition.To.GONE) {
				Held held = new Held(transition.queue(), transition.token(), ids.size() / MOST_TOGETHER);
				gone.computeIfAbsent(held, (key) -> new ArrayList<>()).add(place);
			}
			else {
				others.add(place);
			}
		}
		List<Integer> sent = new ArrayList<>(places.size());
		Arguments arguments = Arguments.at(this.now).add(gone.size());
		gone.forEach((held, together) -> {
			arguments.add(held.queue()).add(held.token()).add(together.size());
			together.forEach((place) -> arguments.add(this.transitions.get(place).id()));
			sent.addAll(together);
		});
		others.forEach((place) -> write(this.transitions.get(place), arguments));
		sent.addAll(others);
		this.round.send(partition, Script.SETTLE, arguments);
		return sent;
	}

	private static void write(Transition transition, Arguments arguments) {
		arguments.add(transition.id())
			.add(transition.queue())
			.add(transition.token())
			.add(transition.to().name())
			.add(transition.at())
			.add(Formats.trail(transition));
	}

	/**
	 * How a job is held.
	 *
	 * @param queue its queue
	 * @param token the token
	 * @param turn tells jobs apart that are too many for one command
	 */
	private record Held(String queue, long token, int turn) {

	}

}
