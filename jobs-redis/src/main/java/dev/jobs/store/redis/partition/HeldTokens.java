package dev.jobs.store.redis.partition;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.store.Claim;
import dev.jobs.store.redis.format.FieldWriter;

/**
 * The tokens under which a worker holds jobs of a partition, as its last beat and the
 * claims since then say. Each is known as {@code token:queue}.
 */
final class HeldTokens {

	private final Set<String> held = new HashSet<>();

	private final Set<String> claimedSince = new HashSet<>();

	synchronized void claimed(List<Claim> claims) {
		claims.forEach((claim) -> this.claimedSince.add(claim.token() + ":" + claim.job().name()));
	}

	/**
	 * Return what the worker holds as fields, so that the script of a beat can restore
	 * what another program erased.
	 */
	synchronized byte[] toFields() {
		this.held.addAll(this.claimedSince);
		this.claimedSince.clear();
		FieldWriter names = new FieldWriter();
		this.held.forEach(names::add);
		return names.toBytes();
	}

	/**
	 * Replace what is known by what the server knows. Claims since the beat stay.
	 */
	synchronized void replace(Set<String> names) {
		this.held.clear();
		this.held.addAll(names);
	}

	/**
	 * Forget what was held before the last beat, since its lease has run out.
	 */
	synchronized void expire() {
		this.held.clear();
	}

	synchronized Set<Long> open() {
		Set<Long> open = new HashSet<>();
		this.held.forEach((name) -> open.add(token(name)));
		this.claimedSince.forEach((name) -> open.add(token(name)));
		return open;
	}

	private static long token(String name) {
		return Long.parseLong(name.substring(0, name.indexOf(':')));
	}

}
