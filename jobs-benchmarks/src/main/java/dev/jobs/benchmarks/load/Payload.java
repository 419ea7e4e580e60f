package dev.jobs.benchmarks.load;

import java.nio.charset.StandardCharsets;

import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.serialization.PayloadReader;
import dev.jobs.serialization.PayloadSerializer;

/**
 * What every job of a benchmark carries.
 *
 * @param i the job's number
 * @param email an address
 */
public record Payload(int i, String email) {

	/** Writes and reads payloads, for the engine and the floor alike. */
	public static final PayloadSerializer SERIALIZER = new JacksonPayloadSerializer();

	/** Reads payloads as the engine does. */
	public static final PayloadReader READER = SERIALIZER.reader(Payload.class);

	public Payload(int i) {
		this(i, "a@b.c");
	}

	/**
	 * Return the bytes of a text.
	 */
	public static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	public static byte[] encoded(int i) {
		return SERIALIZER.write(new Payload(i), Integer.MAX_VALUE);
	}

}
