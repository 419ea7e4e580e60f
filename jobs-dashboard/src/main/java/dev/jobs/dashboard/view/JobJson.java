package dev.jobs.dashboard.view;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

import dev.jobs.Job;
import dev.jobs.SavedStep;
import dev.jobs.json.Views;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes jobs for the page, with their payloads. Numbers that JavaScript would round are
 * sent as text, and so is the payload, which only the handler interprets.
 */
public final class JobJson {

	private static final Pattern TRACE = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-.*");

	/** How many characters a page shows; the whole payload is a file. */
	private static final int LONGEST_PAYLOAD = 64 * 1024;

	/** How many characters of a saved value are shown. */
	private static final int LONGEST_SAVED = 2000;

	/** How many of the saved values are shown, those that were saved last. */
	private static final int MOST_STEPS = 200;

	private JobJson() {
	}

	/**
	 * Return a job as in a list.
	 * @param job the job
	 * @param payloads whether its payload is shown
	 * @return a row
	 */
	public static ObjectNode row(Job job, boolean payloads) {
		ObjectNode row = withTrace(Views.row(job), job);
		if (payloads) {
			String text = beginning(job);
			row.put("payloadPreview", (text != null) ? text : job.payloadSize() + " bytes");
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
		ObjectNode full = withTrace(Views.whole(job, (log) -> payloads ? log : null), job).put("payloadSize",
				job.payloadSize());
		if (job.run() != null) {
			full.withObject("/run").put("token", Long.toString(job.run().token()));
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
			full.put((text != null) ? "payload" : "payloadBase64", Views.cut(shown, LONGEST_PAYLOAD))
				.put("cut", shown.length() > LONGEST_PAYLOAD);
		}
		return full;
	}

	/**
	 * Put what a job has saved.
	 * @param node where to put it
	 * @param steps what it has saved
	 * @param values whether the values are shown
	 */
	public static void putSteps(ObjectNode node, List<SavedStep> steps, boolean values) {
		List<SavedStep> latest = steps.subList(Math.max(0, steps.size() - MOST_STEPS), steps.size());
		Views.put(node.put("stepsInAll", steps.size()), "steps", latest, (step) -> {
			ObjectNode view = Views.of(step);
			if (values) {
				String text = utf8(step.value());
				String shown = (text != null) ? Views.cut(text, LONGEST_SAVED) : step.value().length + " bytes";
				view.put("value", shown).put("cut", text != null && shown.length() < text.length());
			}
			return view;
		});
	}

	private static ObjectNode withTrace(ObjectNode node, Job job) {
		String trace = job.headers().get("traceparent");
		return (trace != null && TRACE.matcher(trace).matches()) ? node.put("trace", trace.split("-")[1]) : node;
	}

	/**
	 * Return the beginning of a payload, without cutting a character.
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
		return (text != null) ? Views.line(text + ((preview.length < job.payloadSize()) ? "…" : "")) : null;
	}

	private static @Nullable String utf8(byte[] bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

}
