package dev.jobs.serialization;

import org.jspecify.annotations.Nullable;

/**
 * The way back from bytes to payloads of one type.
 */
@FunctionalInterface
public interface PayloadReader {

	/**
	 * Read a payload.
	 * @param payload the bytes
	 * @return the payload, which may be {@code null}
	 * @throws PayloadException if the bytes are no payload of the type
	 */
	@Nullable Object read(byte[] payload);

}
