package dev.jobs.store.support;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.TreeSet;

import dev.jobs.JobFilter;
import dev.jobs.PageRequest;
import org.jspecify.annotations.Nullable;

/**
 * The text of a position in a list of jobs. It carries a digest of the filter and the
 * order, so a cursor of another list, or a text that is not a cursor, is refused and
 * never leads to a wrong page. The digest guards against mistakes, not against forgery: a
 * user who may list jobs may list them from anywhere.
 */
public final class Cursor {

	private static final int VERSION = 1;

	private static final int DIGEST = 8;

	private Cursor() {
	}

	/**
	 * Write the cursor of a position.
	 * @param position where the page ended, in terms of the store
	 * @param filter the filter of the list
	 * @param request the request of the page
	 */
	public static String write(List<String> position, JobFilter filter, PageRequest request) {
		byte[] body = bytes((out) -> {
			out.writeByte(VERSION);
			for (String text : position) {
				writeText(out, text);
			}
		});
		byte[] cursor = Arrays.copyOf(digest(body, filter, request), DIGEST + body.length);
		System.arraycopy(body, 0, cursor, DIGEST, body.length);
		return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor);
	}

	/**
	 * Return the position after which a page begins.
	 * @param filter the filter of the list
	 * @param request the request of the page
	 * @return the position, or an empty list for the first page
	 * @throws IllegalArgumentException if the request has a cursor that does not belong
	 * to this list
	 */
	public static List<String> read(JobFilter filter, PageRequest request) {
		String after = request.after();
		if (after == null) {
			return List.of();
		}
		try {
			byte[] cursor = Base64.getUrlDecoder().decode(after);
			byte[] body = Arrays.copyOfRange(cursor, Math.min(DIGEST, cursor.length), cursor.length);
			if (MessageDigest.isEqual(digest(body, filter, request),
					Arrays.copyOf(cursor, Math.min(DIGEST, cursor.length)))) {
				return read(body);
			}
		}
		catch (IllegalArgumentException | IOException ex) {
			throw refused(ex);
		}
		throw refused(null);
	}

	/**
	 * Return the exception for a cursor that is not valid.
	 * @param cause the exception with the reason, if there is one
	 */
	public static IllegalArgumentException refused(@Nullable Exception cause) {
		return new IllegalArgumentException(
				"The cursor does not belong to this list, but to another filter or order, or it was cut; begin without one",
				cause);
	}

	private static List<String> read(byte[] body) throws IOException {
		DataInputStream in = new DataInputStream(new ByteArrayInputStream(body));
		List<String> position = new ArrayList<>();
		if (in.readByte() != VERSION) {
			throw new IOException("Another version");
		}
		while (in.available() > 0) {
			String text = new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
			if (text.indexOf('\0') >= 0) {
				throw new IOException("No store keeps the character 0");
			}
			position.add(text);
		}
		return position;
	}

	private static byte[] digest(byte[] body, JobFilter filter, PageRequest request) {
		byte[] list = bytes((out) -> {
			writeText(out, new TreeSet<>(filter.getStates()).toString());
			for (Object part : Arrays.asList(filter.getName(), filter.getRetrying(), filter.getText(),
					filter.getSince(), filter.getBefore(), filter.getUniqueKey(), filter.getTag(), filter.getLane(),
					filter.getUrgency())) {
				out.writeBoolean(part != null);
				writeText(out, String.valueOf(part));
			}
			out.writeBoolean(request.isNewestFirst());
			out.write(body);
		});
		try {
			return Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(list), DIGEST);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void writeText(DataOutputStream out, String text) throws IOException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		out.writeInt(bytes.length);
		out.write(bytes);
	}

	private static byte[] bytes(Writing writing) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try {
			writing.write(new DataOutputStream(bytes));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

	/**
	 * Writes something.
	 */
	private interface Writing {

		void write(DataOutputStream out) throws IOException;

	}

}
