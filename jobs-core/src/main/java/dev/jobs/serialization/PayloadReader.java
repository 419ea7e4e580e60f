package dev.jobs.serialization;

import org.jspecify.annotations.Nullable;

/**
 * Reads payloads of one type from bytes.
 */
@FunctionalInterface
public interface PayloadReader {

	/**
	 * Read a payload.
	 * @param payload the bytes
	 * @return the payload, which may be {@code null}
	 * @throws PayloadException if the bytes cannot be read as the type
	 */
	@Nullable Object read(byte[] payload);

}
