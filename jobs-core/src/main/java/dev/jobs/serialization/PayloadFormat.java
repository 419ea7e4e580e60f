package dev.jobs.serialization;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.jobs.JobArgs;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * The JSON that payloads are stored as. It is stated here completely, since a payload may
 * be read by another process, by a later version of the application, or by one with a
 * newer Jackson.
 */
public final class PayloadFormat {

	/** Spring Boot 4.0.0 comes with Jackson 3.0, which lacks this feature. */
	private static final Set<String> SINCE_JACKSON_3_1 = Set.of("WRITE_UTC_AS_OFFSET", "TRUNCATE_TO_MSECS_ON_WRITE",
			"TRUNCATE_TO_MSECS_ON_READ");

	private PayloadFormat() {
	}

	/**
	 * Return a builder for a mapper of this format, to which modules can be added.
	 */
	public static JsonMapper.Builder builder() {
		return JsonMapper.builder()
			// Names are the property names, in alphabetical order.
			.enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
			.disable(MapperFeature.SORT_CREATOR_PROPERTIES_FIRST, MapperFeature.USE_WRAPPER_NAME_AS_PROPERTY_NAME,
					MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)
			.disable(SerializationFeature.WRAP_ROOT_VALUE)
			.disable(DeserializationFeature.UNWRAP_ROOT_VALUE)
			// Every public getter and field is written, nulls included.
			.changeDefaultPropertyInclusion((inclusion) -> inclusion.withValueInclusion(JsonInclude.Include.ALWAYS)
				.withContentInclusion(JsonInclude.Include.ALWAYS))
			.enable(SerializationFeature.WRITE_EMPTY_JSON_ARRAYS)
			.disable(SerializationFeature.WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED,
					SerializationFeature.WRITE_CHAR_ARRAYS_AS_JSON_ARRAYS,
					SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
			.enable(JsonNodeFeature.WRITE_NULL_PROPERTIES)
			.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
			// Dates and times are ISO text and arrive with the zone they left with.
			.disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.WRITE_DATE_KEYS_AS_TIMESTAMPS,
					DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS, DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE,
					DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE, DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
			.disable(Stream.of(DateTimeFeature.values())
				.filter((feature) -> SINCE_JACKSON_3_1.contains(feature.name()))
				.toArray(DateTimeFeature[]::new))
			.enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID, DateTimeFeature.ONE_BASED_MONTHS)
			.defaultTimeZone(TimeZone.getTimeZone("UTC"))
			.defaultLocale(Locale.ROOT)
			// The name of an enum constant is fixed, its toString() is not.
			.disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING,
					EnumFeature.WRITE_ENUMS_TO_LOWERCASE, EnumFeature.WRITE_ENUMS_USING_INDEX,
					EnumFeature.WRITE_ENUM_KEYS_USING_INDEX);
	}

	/**
	 * Add the rules for payloads of every format: class names are never obeyed, numbers
	 * arrive exactly, and versions of a type may differ.
	 * @param mapper a mapper of any format
	 * @return a builder for a mapper with these rules
	 */
	static JsonMapper.Builder completed(JsonMapper mapper) {
		return mapper.rebuild()
			.deactivateDefaultTyping()
			.disable(SerializationFeature.INDENT_OUTPUT, SerializationFeature.FAIL_ON_EMPTY_BEANS)
			.disable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
			.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
					DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
					DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
			.enable(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.nodeFactory(new ExactNumbers.Nodes())
			.serializationContexts(new DeclaredTypes())
			.addModule(ExactTexts.addedTo(new SimpleModule("jobs"))
				.addDeserializer(Number.class, new ExactNumbers())
				.setSerializerModifier(new EmptyBeans())
				.setDeserializerModifier(UnknownProperties.reported()))
			.addModule(new SimpleModule("jobs-keys").setSerializerModifier(new MapKeys()))
			.addHandler(new UnknownProperties())
			.addMixIn(JobArgs.class, JobArgsAsMap.class);
	}

	/** How Jackson writes and reads {@link JobArgs}. */
	private abstract static class JobArgsAsMap {

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static JobArgs of(Map<String, ?> values) {
			throw new IllegalStateException();
		}

		@JsonValue
		abstract Map<String, @Nullable Object> asMap();

	}

}
