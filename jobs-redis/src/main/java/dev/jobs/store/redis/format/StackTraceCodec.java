package dev.jobs.store.redis.format;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the stack trace and the log of an attempt, compressed if they are
 * long. They take most of a failed job's memory in the server, and a script that needs
 * any other part of the trail loads them, too. Ten of 8,000 characters take 12 to 16 kB
 * instead of 80.
 */
final class StackTraceCodec {

	/** The first byte of compressed text. */
	private static final byte COMPRESSED = 0x1d;

	private static final int LONG = 500;

	/** No text written here is as long; text of another program may be endless. */
	private static final int LONGEST = 1 << 16;

	/** How many more bytes the texts of this trail may take. */
	private int left = 6 * LONGEST;

	static byte @Nullable [] write(@Nullable String text) {
		return (text != null) ? compressedIfLong(text.getBytes(StandardCharsets.UTF_8)) : null;
	}

	@Nullable String read(byte @Nullable [] written) {
		return (written != null) ? new String(plain(written), StandardCharsets.UTF_8) : null;
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
