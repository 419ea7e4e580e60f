package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

import dev.jobs.JobStoreException;
import dev.jobs.store.NewJob;
import org.jspecify.annotations.Nullable;

/**
 * Unique keys across queues, where these are in several partitions. A key's owner is
 * known in the partition of its job; a note in the partition that the key hashes to tells
 * which one that is. Before a job takes a key the note is made to point to the job's own
 * partition, which it may only if there is no owner where it pointed before. Until the
 * job has taken the key the note says so, and keeps others away for a while.
 */
final class SharedKeys {

	/**
	 * The partition; then, while a job is about to take the key, until when, and its id.
	 */
	private static final Pattern NOTE = Pattern.compile("(\\d{1,3})(?:;(\\d{1,16});(.*))?", Pattern.DOTALL);

	private static final long PATIENCE_MILLIS = 10_000;

	private static final int MOST_TRIES = 20;

	private final Health health;

	private final Partitions partitions;

	private final Instant now;

	SharedKeys(Health health, Partitions partitions, Instant now) {
		this.health = health;
		this.partitions = partitions;
		this.now = now;
	}

	/**
	 * Have a job take its key unless a job of another partition owns it.
	 * @param job the job
	 * @param partition where it is, or will be
	 * @param taking has it taken
	 * @param taken returns the result if another job owns the key
	 */
	<T> T take(NewJob job, int partition, Supplier<T> taking, Function<Owner, T> taken) {
		String digest = Objects.requireNonNull(job.unique()).digest();
		String wanted = partition + ";" + (this.now.toEpochMilli() + PATIENCE_MILLIS) + ";" + job.id();
		String expected = "";
		for (int tries = 0; tries < MOST_TRIES; tries++) {
			String found = replace(digest, expected, wanted);
			if (found.equals(expected)) {
				T result = taking.get();
				replace(digest, wanted, Integer.toString(partition));
				return result;
			}
			Owner owner = owner(digest, found, partition);
			if (owner != null) {
				return taken.apply(owner);
			}
			expected = found;
		}
		throw new JobStoreException("Too many jobs want the same unique key at once", null, true);
	}

	/**
	 * Forget a note about a key that no job owns, unless one is about to take it.
	 */
	void forgetUnowned(String digest, String note) {
		if (note.indexOf(';') < 0 && owner(digest, note, -1) == null) {
			replace(digest, note, "");
		}
	}

	/**
	 * Replace the note of a key if it is as expected, and return what it was.
	 */
	private String replace(String digest, String expected, String wanted) {
		CRC32 hash = new CRC32();
		hash.update(digest.getBytes(StandardCharsets.UTF_8));
		int partition = (int) (hash.getValue() % this.partitions.count());
		return this.health.run(partition, Script.NOTEKEY, Arguments.at(this.now).add(digest).add(expected).add(wanted))
			.text();
	}

	/**
	 * Return the owner that a note leads to, unless that is in a partition of one's own.
	 * A note that nobody here wrote leads nowhere.
	 */
	private @Nullable Owner owner(String digest, String text, int own) {
		Matcher note = NOTE.matcher(text);
		int partition = note.matches() ? Integer.parseInt(note.group(1)) : own;
		if (partition == own || partition >= this.partitions.count()) {
			return null;
		}
		Reply reply = this.health.run(partition, Script.KEYOWNER, Arguments.at(this.now).add(digest));
		if (reply.hasMore()) {
			return new Owner(reply.text(), Millis.instant(reply.text()));
		}
		boolean pending = note.group(2) != null && Long.parseLong(note.group(2)) > this.now.toEpochMilli();
		return pending ? new Owner(note.group(3), this.now) : null;
	}

	/**
	 * Who owns a key.
	 *
	 * @param id the job
	 * @param dueAt when it is due
	 */
	record Owner(String id, Instant dueAt) {

	}

}
