package dev.jobs.serialization;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

/**
 * Turns payloads into bytes and back. Stores keep the bytes and never look inside.
 */
public interface PayloadSerializer {

	/**
	 * Write a payload.
	 * @param payload the payload, or {@code null} for none
	 * @param maxBytes how many bytes it may have; the writing stops there, before it
	 * takes more memory
	 * @return its bytes; an empty array without a payload
	 * @throws PayloadException if the payload cannot be written, whatever the reason
	 */
	byte[] write(@Nullable Object payload, int maxBytes);

	/**
	 * Write a payload so that equal contents give equal bytes: the order of keys and
	 * properties does not matter, only the order of list elements. A set has the order of
	 * its iteration, so one that iterates differently in another process gives other
	 * bytes.
	 * @param payload the payload, or {@code null} for none
	 * @param maxBytes how many bytes it may have
	 * @return the bytes to compute a digest from; an empty array without a payload
	 * @throws PayloadException if the payload cannot be written, whatever the reason
	 */
	byte[] canonical(@Nullable Object payload, int maxBytes);

	/**
	 * Prepare to read payloads of a type, once for each handler.
	 * @param type what the payload becomes; {@code Void} for a handler that does not look
	 * at it, whatever it is
	 * @return the reader, which may be shared by threads
	 * @throws PayloadException if no payload could ever be read as that type
	 */
	PayloadReader reader(Type type);

	/**
	 * Prepare to read payloads written by hand, such as the payload of a schedule: like
	 * {@link #reader}, but a property that the type lacks is an error if the format
	 * allows that check, and messages may name it.
	 * @param type what the payload becomes
	 * @throws PayloadException if no payload could ever be read as that type
	 */
	default PayloadReader strictReader(Type type) {
		return reader(type);
	}

}
