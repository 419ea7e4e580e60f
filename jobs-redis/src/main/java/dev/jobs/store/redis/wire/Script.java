package dev.jobs.store.redis.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A script for the server. Its text is {@code shared/keys.lua}, then the shared parts it
 * needs, then its own file.
 */
public enum Script {

	ENQUEUE("line"),

	ADMIT("names", "line", "fields", "lanes", "waiting", "unique", "tags", "places", "moves", "previews", "standing",
			"adding"),

	REMEMBER("names", "line", "fields", "lanes", "waiting", "unique", "tags", "places", "moves", "previews", "standing",
			"adding"),

	FIRETICK("names", "line", "fields", "lanes", "waiting", "unique", "tags", "places", "moves", "previews", "standing",
			"adding", "schedules"),

	SWAP(),

	KEYOWNER("names", "fields", "unique"),

	CLAIM("names", "line", "fields", "lanes", "gates", "waiting", "unique", "holding"),

	TAKEOVER("names", "line", "fields", "lanes", "holding"),

	SETTLE("names", "line", "fields", "lanes", "gates", "waiting", "unique", "tags", "moves", "holding"),

	SAVE("names", "fields"),

	BEAT("names", "line", "fields", "lanes", "holding", "tallying", "aside"),

	CHANGE("names", "line", "fields", "lanes", "gates", "waiting", "unique", "tags", "places", "moves", "previews",
			"standing", "holding", "tallying", "schedules"),

	PRUNE("names", "line", "fields", "lanes", "gates", "waiting", "unique", "tags", "places", "moves", "serving",
			"tallying"),

	FORGET("names", "fields", "schedules"),

	REPAIR("names", "line", "fields", "lanes", "waiting", "unique", "places", "holding", "aside", "kinds"),

	SOUND("names", "fields", "aside", "kinds"),

	IDS("names"),

	STRAYS("names", "line", "fields", "lanes", "waiting", "places"),

	JOB("names", "fields", "places", "previews", "sifting"),

	OWNERS("names", "fields", "unique", "places", "previews", "sifting"),

	TAGGED("names", "fields"),

	PAGE("names", "fields", "places"),

	COUNT("names", "line", "fields"),

	ROWS("names", "fields", "previews", "sifting"),

	QUEUES("names", "line", "fields", "serving"),

	LANELIST("names", "line", "fields", "lanes"),

	WORKERS("names", "line", "fields", "lanes", "holding"),

	HISTORY("names", "tallying"),

	DUE("names", "fields", "schedules"),

	TIME();

	private static final String FOLDER = "/dev/jobs/store/redis/lua/";

	/**
	 * What follows the first parts stands in a function of its own. A new function in Lua
	 * looks for each variable that it uses among all those of the function around it that
	 * others use too, so with one function around everything a call takes half as long
	 * again. The lines keep their numbers.
	 */
	private static final String IN_A_FUNCTION = "return (function() ";

	private static final String END_OF_FUNCTION = "end)()\n";

	private final List<String> parts;

	private final byte[] text;

	private final String digest;

	Script(String... parts) {
		this.parts = List.of(parts);
		StringBuilder text = new StringBuilder(read("shared/keys"));
		for (String part : parts) {
			text.append(part.equals("fields") ? read("shared/fields") + IN_A_FUNCTION : read("shared/" + part));
		}
		text.append(read(name().toLowerCase(Locale.ROOT)));
		text.append(this.parts.contains("fields") ? END_OF_FUNCTION : "");
		this.text = constant(text).getBytes(StandardCharsets.UTF_8);
		this.digest = digest(this.text);
	}

	/**
	 * Return the shared parts that it needs, without the first.
	 */
	List<String> parts() {
		return this.parts;
	}

	byte[] text() {
		return this.text;
	}

	String digest() {
		return this.digest;
	}

	/**
	 * Return a line, by its number from one.
	 */
	String line(int number) {
		List<String> lines = new String(this.text, StandardCharsets.UTF_8).lines().toList();
		return (number > 0 && number <= lines.size()) ? lines.get(number - 1) : "";
	}

	/**
	 * Replace {@code PART.READY} by {@code 'ready'}, and all other parts of a queue
	 * likewise. A local variable for each would take time in every call.
	 */
	private static String constant(CharSequence text) {
		return Pattern.compile("\\bPART\\.([A-Z]+)")
			.matcher(text)
			.replaceAll((part) -> "'" + part.group(1).toLowerCase(Locale.ROOT) + "'");
	}

	private static String read(String name) {
		try (InputStream file = Script.class.getResourceAsStream(FOLDER + name + ".lua")) {
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
