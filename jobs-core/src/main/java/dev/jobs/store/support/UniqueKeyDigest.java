package dev.jobs.store.support;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

import dev.jobs.Unique.Scope;

/**
 * Makes the digests by which stores identify unique keys; they are short even for a long
 * key.
 */
public final class UniqueKeyDigest {

	private static final int BYTES = 12;

	private UniqueKeyDigest() {
	}

	/**
	 * Return the digest of a key given by the application.
	 * @param scope its scope
	 * @param queue the queue of the job; used only in the scope of one queue
	 * @param key the key
	 */
	public static String of(Scope scope, String queue, String key) {
		MessageDigest digest = begin(scope, queue);
		digest.update((byte) 1);
		return end(digest, key.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Return the digest of a payload that is its own key.
	 * @param scope the scope of the key
	 * @param queue the queue of the job; used only in the scope of one queue
	 * @param payload the payload, written so that equal ones are equal
	 */
	public static String ofPayload(Scope scope, String queue, byte[] payload) {
		return end(begin(scope, queue), payload);
	}

	private static MessageDigest begin(Scope scope, String queue) {
		MessageDigest digest = sha256();
		digest.update(((scope == Scope.HANDLER) ? queue : "").getBytes(StandardCharsets.UTF_8));
		digest.update((byte) 0);
		return digest;
	}

	private static String end(MessageDigest digest, byte[] key) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest.digest(key), BYTES));
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java runtime has SHA-256", ex);
		}
	}

}
