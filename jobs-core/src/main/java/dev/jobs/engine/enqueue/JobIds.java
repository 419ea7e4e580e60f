package dev.jobs.engine.enqueue;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/**
 * Makes job ids. The first two characters are a hash of the queue, from which a store on
 * several servers derives where the job is. Then come the time and a number that begins
 * at random in each process, so ids of a process grow as it makes them and differ from
 * those of others.
 */
final class JobIds {

	private static final char[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

	private static final char[] HEX = "0123456789abcdef".toCharArray();

	/** It begins in the lower half, so it never starts over. */
	private final AtomicLong sequence = new AtomicLong(new SecureRandom().nextLong() >>> 1);

	String next(String queue, Instant now) {
		char[] id = new char[25];
		prefix(queue, id);
		digits(now.toEpochMilli(), id, 2, 10);
		digits(this.sequence.getAndIncrement(), id, 12, 13);
		return new String(id);
	}

	/**
	 * Return the id of a schedule's tick, the same in every process.
	 */
	String forTick(String queue, String schedule, Instant tick) {
		char[] id = new char[2];
		prefix(queue, id);
		return new String(id) + "-" + schedule + "-" + tick.toEpochMilli();
	}

	private static void prefix(String queue, char[] id) {
		CRC32 hash = new CRC32();
		hash.update(queue.getBytes(StandardCharsets.UTF_8));
		int value = (int) hash.getValue();
		id[0] = HEX[(value >>> 4) & 0xF];
		id[1] = HEX[value & 0xF];
	}

	private static void digits(long value, char[] id, int from, int count) {
		for (int i = from + count - 1; i >= from; i--) {
			id[i] = DIGITS[(int) (value & 31)];
			value >>>= 5;
		}
	}

}
