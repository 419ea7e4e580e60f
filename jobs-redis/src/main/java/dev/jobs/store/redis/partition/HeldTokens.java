package dev.jobs.store.redis.partition;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.Claim;
import dev.jobs.store.redis.format.FieldWriter;

/**
 * The tokens under which a worker holds jobs of a partition, from its last beat and the
 * claims since. Each is known as {@code token:queue}. Only a beat knows the number of
 * jobs under each.
 */
final class HeldTokens {

	private final Map<String, Integer> held = new HashMap<>();

	private final Set<String> claimedSince = new HashSet<>();

	synchronized void claimed(List<Claim> claims) {
		claims.forEach((claim) -> this.claimedSince.add(claim.token() + ":" + claim.job().name()));
	}

	/**
	 * Return the tokens as fields, so that the script of a beat can restore tokens that
	 * another program erased.
	 */
	synchronized byte[] toFields() {
		this.claimedSince.forEach((name) -> this.held.putIfAbsent(name, 0));
		this.claimedSince.clear();
		FieldWriter names = new FieldWriter();
		this.held.keySet().forEach(names::add);
		return names.toBytes();
	}

	/**
	 * Replace the tokens with those of the server. Claims since the beat stay.
	 */
	synchronized void replace(Map<String, Integer> names) {
		this.held.clear();
		this.held.putAll(names);
	}

	/**
	 * Forget the tokens held before the last beat, because its lease has run out.
	 */
	synchronized void expire() {
		this.held.clear();
	}

	synchronized Map<Long, Integer> jobs() {
		Map<Long, Integer> jobs = new HashMap<>();
		this.held.forEach((name, count) -> jobs.merge(token(name), count, Integer::sum));
		this.claimedSince.forEach((name) -> jobs.putIfAbsent(token(name), 0));
		return jobs;
	}

	private static long token(String name) {
		return Long.parseLong(name.substring(0, name.indexOf(':')));
	}

}
