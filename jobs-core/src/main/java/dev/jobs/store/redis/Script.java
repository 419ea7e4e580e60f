package dev.jobs.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * A script that the server runs. Its file follows those it builds on.
 */
enum Script {

	ENQUEUE("common", "moves", "adding"),

	FIRETICK("common", "moves", "adding"),

	CLAIM("common", "holding"),

	TAKEOVER("common", "holding"),

	SETTLE("common", "moves", "holding"),

	BEAT("common", "holding"),

	CHANGE("common", "moves", "holding"),

	PRUNE("common", "moves", "serving"),

	JOB("common", "moves", "viewing"),

	PAGE("common", "viewing"),

	QUEUES("common"),

	WORKERS("common", "holding");

	private final byte[] text;

	private final String digest;

	Script(String... parts) {
		StringBuilder text = new StringBuilder();
		for (String part : parts) {
			text.append(read(part));
		}
		this.text = text.append(read(name().toLowerCase(Locale.ROOT))).toString().getBytes(StandardCharsets.UTF_8);
		this.digest = digest(this.text);
	}

	byte[] text() {
		return this.text;
	}

	String digest() {
		return this.digest;
	}

	private static String read(String name) {
		try (InputStream file = Script.class.getResourceAsStream(name + ".lua")) {
			if (file == null) {
				throw new IllegalStateException("There is no script " + name);
			}
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String digest(byte[] text) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
