package dev.jobs.actuate.endpoint;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.Job;
import dev.jobs.SavedStep;
import dev.jobs.json.Views;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Decides which payloads, headers, saved values and logs the endpoint shows: none unless
 * the caller may see values, and even then only what the application's
 * {@link SanitizingFunction}s leave.
 */
public class JobValues {

	/**
	 * A deeper value could not be written as a part of an answer, so it is shown as text.
	 */
	private static final StreamReadConstraints DEPTH = StreamReadConstraints.builder().maxNestingDepth(400).build();

	private static final JsonMapper JSON = JsonMapper
		.builder(JsonFactory.builder().streamReadConstraints(DEPTH).build())
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
		.build();

	/** How many bytes of a saved value are shown whole; of a larger one its beginning. */
	private static final int LARGEST_SAVED = 64 * 1024;

	private static final int BEGINNING = 512;

	private final Sanitizer sanitizer;

	private final boolean sanitizing;

	private final Show show;

	private final Set<String> roles;

	/**
	 * Create the rules for values.
	 * @param functions the functions that hide single values
	 * @param show when values are shown
	 * @param roles the roles that may see values, if it depends on roles; any if empty
	 */
	public JobValues(Iterable<SanitizingFunction> functions, Show show, Set<String> roles) {
		this.sanitizer = new Sanitizer(functions);
		this.sanitizing = functions.iterator().hasNext();
		this.show = show;
		this.roles = Set.copyOf(roles);
	}

	boolean areShownTo(SecurityContext asker) {
		return this.show.isShown(asker, this.roles);
	}

	/**
	 * Put the payload and the headers of a job.
	 */
	ObjectNode put(ObjectNode node, Job job, boolean shown) {
		if (!shown) {
			node.put("payload", SanitizableData.SANITIZED_VALUE);
		}
		else if (job.payloadSize() > 0) {
			byte[] payload = job.isListed() ? job.payloadPreview() : job.payload();
			node.set("payload", (payload.length == job.payloadSize()) ? value("payload", payload) : beginning(payload));
		}
		ObjectNode headers = node.putObject("headers");
		job.headers().forEach((name, value) -> {
			Object header = this.sanitizer.sanitize(new SanitizableData(null, "headers." + name, value), shown);
			headers.set(name, JSON.valueToTree((header != null) ? header : ""));
		});
		return node;
	}

	/**
	 * The beginning of a value is not JSON, so no value in it can be hidden.
	 */
	private JsonNode beginning(byte[] value) {
		return StringNode.valueOf(
				this.sanitizing ? SanitizableData.SANITIZED_VALUE : new String(value, StandardCharsets.UTF_8) + "…");
	}

	/**
	 * A value that is not JSON is shown as text, but not if there are functions that hide
	 * values, since they cannot be applied to it.
	 */
	private JsonNode value(String key, byte[] value) {
		try {
			return JSON.valueToTree(sanitized(key, JSON.readValue(value, Object.class)));
		}
		catch (JacksonException ex) {
			return StringNode
				.valueOf(this.sanitizing ? SanitizableData.SANITIZED_VALUE : new String(value, StandardCharsets.UTF_8));
		}
	}

	/**
	 * Put what a job has saved, if anything.
	 */
	void putSteps(ObjectNode node, List<SavedStep> steps, boolean shown) {
		if (steps.isEmpty()) {
			return;
		}
		Views.put(node, "steps", steps, (step) -> {
			ObjectNode view = Views.of(step);
			byte[] value = step.value();
			if (!shown) {
				view.put("value", SanitizableData.SANITIZED_VALUE);
			}
			else if (value.length > 0) {
				view.set("value", (value.length <= LARGEST_SAVED) ? value("steps." + step.name(), value)
						: beginning(Arrays.copyOf(value, BEGINNING)));
			}
			return view;
		});
	}

	@Nullable String log(@Nullable String log, boolean shown) {
		if (log == null) {
			return null;
		}
		Object left = this.sanitizer.sanitize(new SanitizableData(null, "log", log), shown);
		return (left != null) ? left.toString() : null;
	}

	private @Nullable Object sanitized(String key, @Nullable Object value) {
		if (value instanceof Map<?, ?> map) {
			Map<String, @Nullable Object> copy = new LinkedHashMap<>();
			map.forEach((name, entry) -> copy.put(String.valueOf(name), sanitized(key + "." + name, entry)));
			return copy;
		}
		if (value instanceof List<?> list) {
			List<@Nullable Object> copy = new ArrayList<>(list.size());
			list.forEach((entry) -> copy.add(sanitized(key + "[" + copy.size() + "]", entry)));
			return copy;
		}
		return (value != null) ? this.sanitizer.sanitize(new SanitizableData(null, key, value), true) : null;
	}

}
