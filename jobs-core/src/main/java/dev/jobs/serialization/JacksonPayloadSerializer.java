package dev.jobs.serialization;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.jobs.JobArgs;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Payloads as JSON in UTF-8, except that a byte array is kept as it is and no payload is
 * no bytes.
 * <p>
 * Numbers whose type is left open (in a map, an {@code Object}, a tree) arrive exactly:
 * whole ones as {@code Integer}, {@code Long} or {@code BigInteger}, others as
 * {@code Double} where that stands for the same decimal value and as {@code BigDecimal}
 * elsewhere. Dates and times are ISO text. No class name is ever written or obeyed.
 * <p>
 * Reading forgives what differs between versions of a payload's class: unknown properties
 * are ignored, and missing ones, or {@code null} for a primitive, take Java's default.
 * Bytes after the JSON value are an error.
 */
public final class JacksonPayloadSerializer implements PayloadSerializer {

	private static final byte[] NOTHING = {};

	private final JsonMapper mapper;

	private final ObjectWriter writer;

	private final ObjectWriter sortedTreeWriter;

	private final ObjectReader treeReader;

	/**
	 * Create a serializer with Jackson's defaults.
	 */
	public JacksonPayloadSerializer() {
		this(JsonMapper.shared());
	}

	/**
	 * Create a serializer from an application's mapper: its modules, names and the like
	 * apply, while what this class promises is set anew on a copy.
	 * @param mapper the mapper
	 */
	public JacksonPayloadSerializer(JsonMapper mapper) {
		this.mapper = mapper.rebuild()
			.deactivateDefaultTyping()
			.disable(SerializationFeature.INDENT_OUTPUT)
			.disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
			.enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
			.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
					DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
					DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
			.enable(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.nodeFactory(new ExactNumbers.Nodes())
			.addModule(new SimpleModule("jobs").addDeserializer(Number.class, new ExactNumbers()))
			.addMixIn(JobArgs.class, JobArgsAsMap.class)
			.build();
		this.writer = this.mapper.writer();
		this.sortedTreeWriter = this.writer.with(JsonNodeFeature.WRITE_PROPERTIES_SORTED);
		this.treeReader = this.mapper.readerFor(JsonNode.class);
	}

	@Override
	public byte[] write(@Nullable Object payload) {
		if (payload == null) {
			return NOTHING;
		}
		if (payload instanceof byte[] bytes) {
			return bytes;
		}
		try {
			return this.writer.writeValueAsBytes(payload);
		}
		catch (Throwable ex) {
			throw JacksonProblem.of(ex).whileWriting(payload.getClass());
		}
	}

	@Override
	public byte[] canonical(@Nullable Object payload) {
		byte[] json = write(payload);
		if (payload == null || payload instanceof byte[]) {
			return json;
		}
		try {
			return this.sortedTreeWriter.writeValueAsBytes(this.treeReader.readValue(json));
		}
		catch (Throwable ex) {
			throw JacksonProblem.of(ex).whileWriting(payload.getClass());
		}
	}

	@Override
	public PayloadReader reader(Type type) {
		if (type == byte[].class) {
			return (payload) -> payload;
		}
		if (type == Void.class) {
			return (payload) -> null;
		}
		ObjectReader reader = this.mapper.readerFor(this.mapper.constructType(type));
		if (type == JobArgs.class) {
			return (payload) -> Objects.requireNonNullElseGet(read(reader, type, payload), () -> JobArgs.of(null));
		}
		return (payload) -> read(reader, type, payload);
	}

	private static @Nullable Object read(ObjectReader reader, Type type, byte[] payload) {
		if (payload.length == 0) {
			return null;
		}
		try {
			return reader.readValue(payload);
		}
		catch (Throwable ex) {
			throw JacksonProblem.of(ex).whileReading(type);
		}
	}

	/** How {@link JobArgs} look to Jackson. */
	private abstract static class JobArgsAsMap {

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static JobArgs of(Map<String, ?> values) {
			throw new IllegalStateException();
		}

		@JsonValue
		abstract Map<String, Object> asMap();

	}

}
