package dev.jobs.store.redis.partition;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.Claim;
import dev.jobs.store.redis.format.FieldWriter;

/**
 * The tokens under which a worker holds jobs of a partition, as its last beat and the
 * claims since then say. Each is known as {@code token:queue}. How many jobs there are
 * under one, only a beat says.
 */
final class HeldTokens {

	private final Map<String, Integer> held = new HashMap<>();

	private final Set<String> claimedSince = new HashSet<>();

	synchronized void claimed(List<Claim> claims) {
		claims.forEach((claim) -> this.claimedSince.add(claim.token() + ":" + claim.job().name()));
	}

	/**
	 * Return what the worker holds as fields, so that the script of a beat can restore
	 * what another program erased.
	 */
	synchronized byte[] toFields() {
		this.claimedSince.forEach((name) -> this.held.putIfAbsent(name, 0));
		this.claimedSince.clear();
		FieldWriter names = new FieldWriter();
		this.held.keySet().forEach(names::add);
		return names.toBytes();
	}

	/**
	 * Replace what is known by what the server knows. Claims since the beat stay.
	 */
	synchronized void replace(Map<String, Integer> names) {
		this.held.clear();
		this.held.putAll(names);
	}

	/**
	 * Forget what was held before the last beat, since its lease has run out.
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
