package dev.jobs.engine.enqueue;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/**
 * Makes job ids. The first two characters are a hash of the queue, from which a store
 * that is spread over several servers tells where the job is. Then come the time and the
 * number of the id within its millisecond, so that ids of a process grow, and 45 bits of
 * chance, which are seeded again in each process.
 */
final class JobIds {

	private static final char[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

	private static final char[] HEX = "0123456789abcdef".toCharArray();

	/** For the numbers within a millisecond. */
	private static final int BITS = 20;

	/** The time of the last id and, in the lowest bits, its number. */
	private final AtomicLong last = new AtomicLong();

	private final AtomicLong sequence = new AtomicLong(new SecureRandom().nextLong());

	String next(String queue, Instant now) {
		char[] id = new char[25];
		prefix(queue, id);
		long millis = now.toEpochMilli();
		long next = this.last.updateAndGet((before) -> (before >> BITS == millis) ? before + 1 : millis << BITS);
		digits(next >> BITS, id, 2, 10);
		digits(next, id, 12, 4);
		digits(mix(this.sequence.getAndAdd(0x9E3779B97F4A7C15L)), id, 16, 9);
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

	private static long mix(long value) {
		long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
		mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
		return mixed ^ (mixed >>> 31);
	}

}
