package dev.jobs.store.redis.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobStoreException;
import dev.jobs.Unique;
import dev.jobs.store.NewJob;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.redis.wire.Script;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps unique keys across queues, which may be in several partitions. The owner of a key
 * is stored in the partition of its job; a note in the partition that the key hashes to
 * points there. Before a job takes a key, the note is changed to the job's partition,
 * which is allowed only if no owner is where it pointed before. Until the job has taken
 * the key, the note marks that and keeps others away for a while.
 */
record SharedKeys(Link link, PartitionHealth health, List<Partition> partitions, Instant now) {

	private static final Logger logger = LoggerFactory.getLogger(SharedKeys.class);

	/**
	 * The version and the partition; while a job is about to take the key, also a
	 * deadline and the job's id.
	 */
	private static final Pattern NOTE = Pattern.compile("a(\\d{1,3})(?:;(\\d{1,16});(.*))?", Pattern.DOTALL);

	private static final String VERSION = "a";

	private static final long PATIENCE_MILLIS = 10_000;

	private static final int MOST_TRIES = 20;

	private static final int NOTES_AT_ONCE = 20;

	/**
	 * Store a job with its key unless a job of another partition owns the key.
	 * @param job the job
	 * @param partition the partition of the job
	 * @param taking stores the job, which takes the key
	 * @param taken returns the result if another job owns the key
	 */
	<T> T take(NewJob job, int partition, Supplier<T> taking, Function<Enqueued, T> taken) {
		String digest = Objects.requireNonNull(job.uniqueKey()).digest();
		String wanted = VERSION + partition + ";" + (this.now.toEpochMilli() + PATIENCE_MILLIS) + ";" + job.id();
		String expected = "";
		for (int tries = 0; tries < MOST_TRIES; tries++) {
			String found = replace(digest, expected, wanted);
			if (found.equals(expected)) {
				T result = taking.get();
				replace(digest, wanted, VERSION + partition);
				return result;
			}
			Enqueued owner = owner(digest, found, partition);
			if (owner != null) {
				return taken.apply(owner);
			}
			expected = found;
		}
		throw new JobStoreException("Too many jobs want the same unique key at once", null, true);
	}

	/**
	 * Return whether the key of a job may be owned by a job of another partition.
	 */
	static boolean isShared(@Nullable NewJob job) {
		NewJob.UniqueKey key = (job != null) ? job.uniqueKey() : null;
		return key != null && key.scope() == Unique.Scope.NAMESPACE;
	}

	/**
	 * Check some notes of a partition, and forget notes about keys that no job owns or is
	 * about to take.
	 */
	void forgetUnowned(int partition) {
		try {
			this.health.call(partition, () -> this.link.get(this.partitions.get(partition), "owners",
					(server, key) -> server.hrandfieldWithvalues(key, NOTES_AT_ONCE)))
				.forEach((each) -> {
					String digest = new String(each.getKey(), StandardCharsets.UTF_8);
					String note = new String(each.getValue(), StandardCharsets.UTF_8);
					if (note.indexOf(';') < 0 && owner(digest, note, -1) == null) {
						replace(digest, note, "");
					}
				});
		}
		catch (JobStoreException ex) {
			logger.debug("Notes about keys could not be checked now", ErrorText.loggable(ex));
		}
	}

	/**
	 * Replace the note of a key if it is as expected, and return the former note.
	 */
	private String replace(String digest, String expected, String wanted) {
		CRC32 hash = new CRC32();
		hash.update(digest.getBytes(StandardCharsets.UTF_8));
		int partition = (int) (hash.getValue() % this.partitions.size());
		return run(partition, Script.SWAP, Arguments.at(this.now).add("owners").add(digest).add(expected).add(wanted))
			.text();
	}

	/**
	 * Return the owner that a note points to, unless it is in the given partition. A note
	 * that another program wrote points nowhere.
	 */
	private @Nullable Enqueued owner(String digest, String text, int own) {
		Matcher note = NOTE.matcher(text);
		int partition = note.matches() ? Integer.parseInt(note.group(1)) : own;
		if (partition == own || partition >= this.partitions.size()) {
			return null;
		}
		Reply reply = run(partition, Script.KEYOWNER, Arguments.at(this.now).add(digest));
		if (reply.hasMore()) {
			return Enqueued.of(reply.text(), Outcome.DUPLICATE, reply.instant());
		}
		boolean pending = note.group(2) != null && Long.parseLong(note.group(2)) > this.now.toEpochMilli();
		return pending ? Enqueued.of(note.group(3), Outcome.DUPLICATE, this.now) : null;
	}

	private Reply run(int partition, Script script, Arguments arguments) {
		return this.health.call(partition, () -> this.link.run(script, this.partitions.get(partition), arguments));
	}

}
