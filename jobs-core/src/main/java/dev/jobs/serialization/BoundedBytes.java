package dev.jobs.serialization;

import java.io.OutputStream;
import java.util.Arrays;

/**
 * Collects bytes up to a limit; more bytes are refused before they take any memory.
 */
final class BoundedBytes extends OutputStream {

	private final int limit;

	private byte[] bytes = {};

	private int length;

	private boolean exceeded;

	BoundedBytes(int limit) {
		this.limit = limit;
	}

	@Override
	public void write(int value) {
		write(new byte[] { (byte) value }, 0, 1);
	}

	@Override
	public void write(byte[] source, int offset, int count) {
		if (count > this.limit - this.length) {
			this.exceeded = true;
			throw new LimitExceeded();
		}
		int needed = this.length + count;
		if (needed > this.bytes.length) {
			// Most payloads come in one piece, and their array is used as it is.
			this.bytes = Arrays.copyOf(this.bytes,
					(int) Math.min(this.limit, Math.max(needed, 2L * this.bytes.length)));
		}
		System.arraycopy(source, offset, this.bytes, this.length, count);
		this.length = needed;
	}

	boolean isExceeded() {
		return this.exceeded;
	}

	byte[] toByteArray() {
		return (this.length == this.bytes.length) ? this.bytes : Arrays.copyOf(this.bytes, this.length);
	}

	/** Ends the writing; never leaves this package. */
	private static final class LimitExceeded extends RuntimeException {

		LimitExceeded() {
			super("The limit is exceeded", null, false, false);
		}

	}

}
