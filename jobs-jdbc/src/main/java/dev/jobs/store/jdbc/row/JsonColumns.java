package dev.jobs.store.jdbc.row;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.jobs.Trail;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes and reads text columns as JSON, so that an operator can read them. Another
 * program may have written anything there; unreadable values count as missing, and no
 * stored value makes a call here fail.
 */
public final class JsonColumns {

	private static final Logger logger = LoggerFactory.getLogger(JsonColumns.class);

	private static final TypeReference<Map<String, String>> HEADERS = new TypeReference<>() {
	};

	private static final JsonMapper MAPPER = JsonMapper.builder()
		.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.build();

	private static final ObjectReader FIRED = MAPPER.readerFor(StoredJson.Fired.class);

	private static final ObjectReader TRAILS = MAPPER.readerFor(StoredTrail.class)
		.without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

	private JsonColumns() {
	}

	public static @Nullable String headers(Map<String, String> headers) {
		return headers.isEmpty() ? null : MAPPER.writeValueAsString(headers);
	}

	public static Map<String, String> headers(@Nullable String text) {
		Map<String, String> headers = part(() -> readHeaders(text));
		return (headers != null) ? headers : Map.of();
	}

	/**
	 * Read headers, none of which may get lost.
	 */
	public static Map<String, String> readHeaders(@Nullable String text) {
		if (text == null) {
			return Map.of();
		}
		Map<String, String> headers = MAPPER.readValue(text, HEADERS);
		if (headers == null || headers.containsValue(null)) {
			throw new IllegalArgumentException("Headers must be texts");
		}
		return Map.copyOf(headers);
	}

	public static @Nullable String trail(Trail trail) {
		return trail.equals(Trail.EMPTY) ? null : MAPPER.writeValueAsString(StoredTrail.of(trail));
	}

	/**
	 * Read a trail, or, without stacks and logs, the text before
	 * {@link StoredTrail#STACKS them} and a closing brace. Text after it is ignored.
	 */
	public static Trail trail(@Nullable String text) {
		Trail trail = read(text, TRAILS, StoredTrail::trail);
		return (trail != null) ? trail : Trail.EMPTY;
	}

	public static String fired(List<ScheduleView.Fired> fired) {
		return MAPPER.writeValueAsString(StoredJson.Fired.of(fired));
	}

	public static List<ScheduleView.Fired> fired(@Nullable String text) {
		List<ScheduleView.Fired> fired = read(text, FIRED, StoredJson.Fired::read);
		return (fired != null) ? last(fired, ScheduleView.FIRED_KEPT) : List.of();
	}

	/**
	 * Return the last elements of a list.
	 */
	static <T> List<T> last(List<T> all, int most) {
		return all.subList(Math.max(0, all.size() - most), all.size());
	}

	private static <T, P> @Nullable P read(@Nullable String text, ObjectReader reader,
			Function<T, @Nullable P> conversion) {
		return part(() -> {
			T value = (text != null) ? reader.<@Nullable T>readValue(text) : null;
			return (value != null) ? conversion.apply(value) : null;
		});
	}

	/**
	 * Read a part of a row. Its conversion belongs to the reading, since it may fail even
	 * if the text is well formed.
	 */
	private static <T> @Nullable T part(Supplier<@Nullable T> reading) {
		try {
			return reading.get();
		}
		catch (RuntimeException ex) {
			logger.debug("What is stored cannot be read and counts as missing", ErrorText.loggable(ex));
			return null;
		}
	}

}
