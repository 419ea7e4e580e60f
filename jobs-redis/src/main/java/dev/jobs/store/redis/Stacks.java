package dev.jobs.store.redis;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;

/**
 * How the stack and the log of an attempt are kept: as one text, and compressed if that
 * is long. They are most of what a failed job takes in the server's memory, and a script
 * that looks for something else in its trail loads them with the rest.
 */
final class Stacks {

	/** Stands between the stack and the log. */
	private static final char BEFORE_LOG = '\u001e';

	/** Begins what is compressed. */
	private static final byte COMPRESSED = 0x1d;

	private static final int LONG = 500;

	/** Nothing that was written here is as long; what others wrote may be endless. */
	private static final int LONGEST = 1 << 16;

	/** How much those of one trail may take together. */
	private int left = 6 * LONGEST;

	/**
	 * Write the log as a part of the stack, since an earlier version reads four fields of
	 * an attempt, and would read no trail at all if there were five.
	 */
	static byte @Nullable [] write(Trail.Attempt attempt) {
		String stack = attempt.stackTrace();
		String plain = (stack != null) ? stack.replace(BEFORE_LOG, ' ') : null;
		if (attempt.log() != null) {
			plain = ((plain != null) ? plain : "") + BEFORE_LOG + attempt.log();
		}
		return (plain != null) ? compressedIfLong(plain.getBytes(StandardCharsets.UTF_8)) : null;
	}

	Trail.Attempt read(int number, Instant endedAt, String error, byte @Nullable [] written) {
		if (written == null) {
			return new Trail.Attempt(number, endedAt, error, null);
		}
		String text = new String(plain(written), StandardCharsets.UTF_8);
		int end = text.indexOf(BEFORE_LOG);
		if (end < 0) {
			return new Trail.Attempt(number, endedAt, error, text);
		}
		return new Trail.Attempt(number, endedAt, error, (end > 0) ? text.substring(0, end) : null,
				text.substring(end + 1));
	}

	private static byte[] compressedIfLong(byte[] plain) {
		if (plain.length < LONG) {
			return plain;
		}
		ByteArrayOutputStream written = new ByteArrayOutputStream(plain.length / 2);
		written.write(COMPRESSED);
		Deflater deflater = new Deflater(Deflater.BEST_SPEED);
		try (OutputStream compressing = new DeflaterOutputStream(written, deflater)) {
			compressing.write(plain);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			deflater.end();
		}
		return written.toByteArray();
	}

	private byte[] plain(byte[] written) {
		if (written.length == 0 || written[0] != COMPRESSED) {
			return written;
		}
		try (InputStream plain = new InflaterInputStream(new ByteArrayInputStream(written, 1, written.length - 1))) {
			byte[] read = plain.readNBytes(Math.min(LONGEST, this.left));
			this.left -= read.length;
			return read;
		}
		catch (IOException ex) {
			return written;
		}
	}

}
