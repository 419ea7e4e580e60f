package dev.jobs.store.jdbc;

import java.util.List;
import java.util.Map;

import dev.jobs.Job;
import dev.jobs.Trail;
import dev.jobs.store.ScheduleView;
import dev.jobs.store.WorkerInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * What columns of text hold: JSON, so that a person can read it. What cannot be read,
 * since somebody else has written it, counts as missing.
 */
final class Texts {

	private static final TypeReference<Map<String, String>> HEADERS = new TypeReference<>() {
	};

	private static final JsonMapper MAPPER = JsonMapper.builder()
		.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.build();

	private static final ObjectReader TRAILS = MAPPER.readerFor(StoredTrail.class)
		.without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

	private Texts() {
	}

	static @Nullable String headers(Map<String, String> headers) {
		return headers.isEmpty() ? null : MAPPER.writeValueAsString(headers);
	}

	static Map<String, String> headers(@Nullable String text) {
		try {
			return readHeaders(text);
		}
		catch (JacksonException | IllegalArgumentException ex) {
			return Map.of();
		}
	}

	/**
	 * Read headers where none of them may get lost.
	 */
	static Map<String, String> readHeaders(@Nullable String text) {
		if (text == null) {
			return Map.of();
		}
		Map<String, String> headers = MAPPER.readValue(text, HEADERS);
		if (headers == null || headers.containsValue(null)) {
			throw new IllegalArgumentException("Headers must be texts");
		}
		return Map.copyOf(headers);
	}

	static @Nullable String trail(Trail trail) {
		return trail.equals(Trail.EMPTY) ? null : MAPPER.writeValueAsString(StoredTrail.of(trail));
	}

	/**
	 * Read a trail, or one without stacks and logs from what stands before
	 * {@link StoredTrail#STACKS them} and a closing brace. What follows is not looked at.
	 */
	static Trail trail(@Nullable String text) {
		StoredTrail stored = read(text, TRAILS);
		return (stored != null) ? stored.trail() : Trail.EMPTY;
	}

	static String progress(Job.Progress progress) {
		return MAPPER.writeValueAsString(progress);
	}

	static Job.@Nullable Progress progress(@Nullable String text) {
		return read(text, Job.Progress.class);
	}

	static @Nullable String info(@Nullable WorkerInfo info) {
		return (info != null) ? MAPPER.writeValueAsString(info) : null;
	}

	static @Nullable WorkerInfo info(@Nullable String text) {
		WorkerInfo info = read(text, WorkerInfo.class);
		return (info != null && isComplete(info)) ? info : null;
	}

	static String fired(List<ScheduleView.Fired> fired) {
		return MAPPER.writeValueAsString(fired);
	}

	static List<ScheduleView.Fired> fired(@Nullable String text) {
		ScheduleView.Fired[] fired = read(text, ScheduleView.Fired[].class);
		return (fired != null) ? List.of(fired) : List.of();
	}

	private static boolean isComplete(WorkerInfo info) {
		return info.pools() != null && info.pools().stream().allMatch((pool) -> pool != null && pool.queues() != null)
				&& info.limits().stream().allMatch((limit) -> limit != null && limit.queue() != null);
	}

	private static <T> @Nullable T read(@Nullable String text, Class<T> type) {
		return read(text, MAPPER.readerFor(type));
	}

	private static <T> @Nullable T read(@Nullable String text, ObjectReader reader) {
		try {
			return (text != null) ? reader.readValue(text) : null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

}
