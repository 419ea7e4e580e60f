package dev.jobs.dashboard.view;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Pattern;

import dev.jobs.Job;
import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Jobs as the page reads them. Numbers that JavaScript would round are sent as text, and
 * so is the payload, which only the handler interprets.
 */
public final class JobJson {

	private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

	private static final Pattern TRACE = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-.*");

	private static final int PREVIEW = 160;

	/** A page shows so many characters, and the rest in a file. */
	private static final int LONGEST_PAYLOAD = 64 * 1024;

	private JobJson() {
	}

	/**
	 * Return what a list shows of a job.
	 * @param job the job
	 * @param payloads whether its payload is shown
	 * @return a row
	 */
	public static ObjectNode row(Job job, boolean payloads) {
		ObjectNode row = NODES.objectNode()
			.put("id", job.id())
			.put("name", job.name())
			.put("state", job.state().name())
			.put("attempt", job.attempt())
			.put("made", made(job))
			.put("createdAt", text(job.createdAt()))
			.put("dueAt", text(job.dueAt()))
			.put("retrying", job.state().isWaiting() && job.attempt() > 1);
		Trail.Attempt last = job.trail().lastFailure();
		row.put("error", (last != null) ? cut(last.error()) : null);
		if (!job.tags().isEmpty()) {
			ArrayNode tags = row.putArray("tags");
			job.tags().forEach(tags::add);
		}
		String trace = job.headers().get("traceparent");
		if (trace != null && TRACE.matcher(trace).matches()) {
			row.put("trace", trace.split("-")[1]);
		}
		Trail.End end = job.trail().end();
		if (end != null) {
			row.put("reason", end.reason().name())
				.put("error", cut(end.message()))
				.put("diedAt", text(end.at()))
				.put("retryable", true);
		}
		Job.Run run = job.run();
		if (run != null) {
			row.set("run", run(run));
		}
		if (payloads) {
			String text = beginning(job);
			row.put("args", (text != null) ? cut(text) : job.payloadSize() + " bytes");
		}
		return row;
	}

	/**
	 * Return everything about a job.
	 * @param job the job
	 * @param payloads whether its payload is shown
	 * @return all of it
	 */
	public static ObjectNode full(Job job, boolean payloads) {
		ObjectNode full = row(job, payloads);
		Trail trail = job.trail();
		full.put("failures", trail.failures())
			.put("abandonments", trail.abandonments())
			.put("postponements", trail.postponements())
			.put("suspect", trail.suspect());
		ArrayNode attempts = full.putArray("attempts");
		trail.attempts()
			.forEach((attempt) -> attempts.addObject()
				.put("number", attempt.number())
				.put("startedAt", text(attempt.startedAt()))
				.put("endedAt", text(attempt.endedAt()))
				.put("worker", attempt.worker())
				.put("error", attempt.error())
				.put("stack", attempt.stackTrace())
				.put("log", payloads ? attempt.log() : null));
		Trail.End end = trail.end();
		if (end != null) {
			full.put("error", end.message());
		}
		full.put("size", job.payloadSize());
		Job.Run run = job.run();
		if (payloads && run != null && run.progress() != null) {
			full.put("log", run.progress().log());
		}
		if (payloads) {
			ObjectNode headers = full.putObject("headers");
			job.headers().forEach((name, value) -> {
				if (!name.equals(Job.TAGS_HEADER)) {
					headers.put(name, value);
				}
			});
			String text = utf8(job.payload());
			String shown = (text != null) ? text : Base64.getEncoder().encodeToString(job.payload());
			full.put((text != null) ? "payload" : "payloadBase64", cut(shown, LONGEST_PAYLOAD))
				.put("cut", shown.length() > LONGEST_PAYLOAD);
		}
		return full;
	}

	/**
	 * Return how many attempts have begun.
	 */
	private static int made(Job job) {
		return job.state().isWaiting() ? job.attempt() - 1 : job.attempt();
	}

	private static ObjectNode run(Job.Run run) {
		ObjectNode node = NODES.objectNode()
			.put("worker", run.worker())
			.put("token", Long.toString(run.token()))
			.put("startedAt", text(run.startedAt()))
			.put("cancelRequested", run.cancelRequested());
		Job.Progress progress = run.progress();
		if (progress != null) {
			node.put("checkIn", progress.checkIn())
				.put("done", progress.done())
				.put("total", progress.total())
				.put("reportedAt", text(progress.at()));
		}
		return node;
	}

	private static @Nullable String cut(@Nullable String text) {
		if (text == null) {
			return null;
		}
		String line = text.strip();
		return (line.length() > PREVIEW) ? cut(line, PREVIEW) + "…" : line;
	}

	private static String cut(String text, int longest) {
		if (text.length() <= longest) {
			return text;
		}
		return text.substring(0, Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest);
	}

	/**
	 * Return the beginning of a payload, without a character that it cuts.
	 */
	private static @Nullable String beginning(Job job) {
		byte[] preview = job.payloadPreview();
		int end = preview.length;
		if (end < job.payloadSize()) {
			while (end > 0 && preview.length - end < 3 && (preview[end - 1] & 0xC0) == 0x80) {
				end--;
			}
			if (end > 0 && (preview[end - 1] & 0xC0) == 0xC0) {
				end--;
			}
			else {
				end = preview.length;
			}
		}
		String text = utf8(Arrays.copyOf(preview, end));
		return (text != null && preview.length < job.payloadSize()) ? text + "…" : text;
	}

	private static @Nullable String utf8(byte[] bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	/**
	 * Return a time as the page reads it.
	 * @param instant the time, or {@code null}
	 * @return the text, or {@code null}
	 */
	public static @Nullable String text(@Nullable Instant instant) {
		return (instant != null) ? instant.toString() : null;
	}

}
