package dev.jobs.dashboard;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.jobs.query.JobQueryParameters;
import dev.jobs.query.RefusedException;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static java.util.Map.entry;

/**
 * The body of an action. An unknown field, or one whose value makes no sense, is refused
 * by name, since ignoring it could change more than was meant.
 */
final class Wish {

	private static final Logger logger = LoggerFactory.getLogger(Wish.class);

	private static final int MOST_IDS = 1000;

	private static final Set<String> OF_SELECTION = Set.of("ids", "filter", "cause", "queue");

	private static final Set<String> OF_PAUSE = Set.of("queue", "pool", "worker", "schedule", "lane", "bulk");

	private static final Set<String> OF_CAUSE = Set.of("cause", "queue");

	/** The fields of each action. */
	private static final Map<String, Set<String>> FIELDS = Map.ofEntries(entry("retry", OF_SELECTION),
			entry("delete", OF_SELECTION), entry("cancel", OF_SELECTION),
			entry("reschedule", Set.of("ids", "filter", "dueAt")), entry("move", Set.of("ids", "filter", "toLane")),
			entry("pause", OF_PAUSE), entry("resume", OF_PAUSE), entry("quiet", Set.of("worker")),
			entry("stop", Set.of("bulk")), entry("limit", Set.of("queue", "lane", "limit")),
			entry("weight", Set.of("queue", "lane", "weight")), entry("attempts", Set.of("queue", "attempts")),
			entry("rate", Set.of("queue", "rate")), entry("lanes-rate", Set.of("queue", "rate")),
			entry("concurrency", Set.of("pool", "concurrency")), entry("trigger", Set.of("schedule")),
			entry("drop", Set.of("schedule")),
			entry("put",
					Set.of("schedule", "cron", "zone", "job", "payload", "misfire", "until", "jitter", "calendar",
							"overlap")),
			entry("enqueue", Set.of("id", "payload")), entry("resolve", OF_CAUSE), entry("reopen", OF_CAUSE),
			entry("forget-step", Set.of("id", "step")), entry("send-signal", Set.of("id", "value")));

	/** All actions. */
	static final Set<String> ACTIONS = FIELDS.keySet();

	private static final Set<String> OF_FILTER = Set.of("state", "queue", "text", "error", "since", "before",
			"uniqueKey", "tag", "lane", "urgency");

	/** Of two fields with one name the last would count, which may be the wrong one. */
	private static final JsonMapper MAPPER = JsonMapper.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.build();

	private final JsonNode json;

	private Wish(JsonNode json, String taker, Set<String> known) {
		this.json = json;
		for (String field : json.propertyNames()) {
			if (!known.contains(field)) {
				throw RefusedException.badRequest("'" + field + "' is not a field of '" + taker + "', which takes "
						+ String.join(", ", new TreeSet<>(known)) + ".");
			}
		}
	}

	/**
	 * Read a body.
	 * @param action the action
	 * @param body the body that was sent
	 * @return the wish
	 */
	static Wish of(String action, byte[] body) {
		try {
			JsonNode json = MAPPER.readTree(body);
			if (json != null && json.isObject()) {
				return new Wish(json, action, FIELDS.getOrDefault(action, Set.of()));
			}
		}
		catch (JacksonException ex) {
			logger.trace("Not JSON", ErrorText.loggable(ex));
		}
		throw RefusedException.badRequest("The body must be a JSON object, with each field once.");
	}

	boolean has(String field) {
		return this.json.has(field);
	}

	/**
	 * Return the only present field of several that exclude each other.
	 */
	String only(String... fields) {
		Set<String> there = new LinkedHashSet<>(Set.of(fields));
		there.retainAll(this.json.propertyNames());
		if (there.size() != 1) {
			throw RefusedException.badRequest("Exactly one of '" + String.join("', '", fields) + "' must be there.");
		}
		return there.iterator().next();
	}

	/**
	 * Return a required text.
	 */
	String required(String field) {
		String value = text(field);
		if (value == null) {
			throw RefusedException.badRequest("'" + field + "' is missing.");
		}
		return value;
	}

	/**
	 * Return a text, or {@code null} if there is no such field.
	 */
	@Nullable String text(String field) {
		if (!has(field)) {
			return null;
		}
		String value = anyText(field);
		if (value.isBlank()) {
			throw RefusedException.badRequest("'" + field + "' must not be blank. Leave it out if it does not matter.");
		}
		return value;
	}

	/**
	 * Return a text, which may be empty, or {@code null} if there is no such field.
	 */
	@Nullable String textOrEmpty(String field) {
		return (has(field) && anyText(field).isEmpty()) ? "" : text(field);
	}

	/**
	 * Return a required text, which may be empty.
	 */
	String anyText(String field) {
		JsonNode value = this.json.get(field);
		if (value == null || !value.isString()) {
			throw RefusedException.badRequest("'" + field + "' must be a text.");
		}
		return DashboardRequest.requireText(field, value.asString());
	}

	/**
	 * Return a whole number from 1, or {@code null} if null was sent.
	 */
	@Nullable Integer number(String field) {
		JsonNode value = this.json.get(field);
		if (value != null && value.isNull()) {
			return null;
		}
		if (value == null || !value.isInt() || value.asInt() < 1) {
			throw RefusedException.badRequest("'" + field
					+ "' must be a whole number from 1, or null for none. To keep jobs from starting, pause the queue or the pool.");
		}
		return value.asInt();
	}

	/**
	 * Return a text, or {@code null} if null was sent.
	 */
	@Nullable String textOrNull(String field) {
		JsonNode value = this.json.get(field);
		return (value != null && value.isNull()) ? null : required(field);
	}

	/**
	 * Return a time, or {@code null} if there is no such field.
	 */
	@Nullable Instant time(String field) {
		return new JobQueryParameters(this::text).instant(field);
	}

	Set<String> ids() {
		JsonNode array = this.json.get("ids");
		if (array == null || !array.isArray() || array.isEmpty() || array.size() > MOST_IDS
				|| !array.valueStream().allMatch(JsonNode::isString)) {
			throw RefusedException.badRequest("'ids' must be 1 to " + MOST_IDS + " texts.");
		}
		return array.valueStream()
			.map((id) -> DashboardRequest.requireText("ids", id.asString()))
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/**
	 * Return the fields that select jobs.
	 */
	Wish filter() {
		JsonNode fields = this.json.get("filter");
		if (fields == null || !fields.isObject()) {
			throw RefusedException.badRequest("'filter' must be a JSON object.");
		}
		Wish filter = new Wish(fields, "filter", OF_FILTER);
		fields.propertyNames().forEach(filter::text);
		return filter;
	}

	/**
	 * Return the other fields as text.
	 */
	String without(String... fields) {
		return ((ObjectNode) this.json.deepCopy()).without(Set.of(fields)).toString();
	}

	@Override
	public String toString() {
		return this.json.toString();
	}

}
