package dev.jobs.serialization;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.JobArgs;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Payloads as JSON in UTF-8, except that a byte array is kept as it is and a missing
 * payload becomes an empty array.
 * <p>
 * Numbers whose type is left open (in a map, an {@code Object}, a tree) arrive exactly:
 * whole ones as {@code Integer}, {@code Long} or {@code BigInteger}, others as
 * {@code Double} where that is the same decimal value and otherwise as {@code
 * BigDecimal}. No class name is ever written or obeyed, unless a type is annotated for
 * that.
 * <p>
 * Reading tolerates differences between versions of a payload's class: unknown properties
 * are ignored, and missing ones, or {@code null} for a primitive, take Java's default. An
 * object with only unknown properties is an error, and so are bytes after the JSON value.
 */
public final class JacksonPayloadSerializer implements PayloadSerializer {

	private static final byte[] NOTHING = {};

	private final Mapper mapper;

	private final ObjectWriter writer;

	private final ObjectWriter sortedTreeWriter;

	private final ObjectReader treeReader;

	private final Map<Class<?>, String> problemsOfTypes = new ConcurrentHashMap<>();

	/**
	 * Create a serializer that writes and reads {@link PayloadFormat}.
	 */
	public JacksonPayloadSerializer() {
		this(PayloadFormat.builder().build());
	}

	/**
	 * Create a serializer with the format of a mapper: its names, its dates, its modules.
	 * It uses a copy of the mapper that keeps the promises of this class.
	 * @param mapper the mapper, for example one built from
	 * {@link PayloadFormat#builder()}
	 */
	public JacksonPayloadSerializer(JsonMapper mapper) {
		this.mapper = new Mapper(PayloadFormat.completed(mapper));
		this.writer = this.mapper.writer();
		this.sortedTreeWriter = this.writer.with(JsonNodeFeature.WRITE_PROPERTIES_SORTED);
		this.treeReader = this.mapper.readerFor(JsonNode.class);
	}

	@Override
	public byte[] write(@Nullable Object payload, int maxBytes) {
		if (payload == null) {
			return NOTHING;
		}
		if (payload instanceof byte[] bytes) {
			if (bytes.length > maxBytes) {
				throw tooLarge(payload, maxBytes);
			}
			return bytes;
		}
		String problem = this.problemsOfTypes.computeIfAbsent(payload.getClass(), this::problemOf);
		if (!problem.isEmpty()) {
			throw new PayloadException(problem, null);
		}
		return write(this.writer, payload, payload, maxBytes);
	}

	@Override
	public byte[] canonical(@Nullable Object payload, int maxBytes) {
		byte[] json = write(payload, maxBytes);
		if (payload == null || payload instanceof byte[]) {
			return json;
		}
		JsonNode tree;
		try {
			tree = this.treeReader.readValue(json);
		}
		catch (Throwable ex) {
			throw JacksonProblem.of(ex, this.mapper::hasProperty).whileWriting(payload.getClass());
		}
		return write(this.sortedTreeWriter, tree, payload, maxBytes);
	}

	private byte[] write(ObjectWriter writer, Object value, Object payload, int maxBytes) {
		BoundedBytes bytes = new BoundedBytes(maxBytes);
		try {
			writer.writeValue(bytes, value);
		}
		catch (Throwable ex) {
			if (!bytes.isExceeded()) {
				throw JacksonProblem.of(ex, this.mapper::hasProperty).whileWriting(payload.getClass());
			}
		}
		if (bytes.isExceeded()) {
			throw tooLarge(payload, maxBytes);
		}
		return bytes.toByteArray();
	}

	private static PayloadException tooLarge(Object payload, int maxBytes) {
		String size = (payload instanceof byte[] bytes) ? bytes.length + " bytes" : "more than " + maxBytes + " bytes";
		return new PayloadException(("A payload of %s has %s; jobs.max-payload-size allows %d. "
				+ "Keep the data elsewhere and enqueue its key, or raise that property")
			.formatted(payload.getClass().getTypeName(), size, maxBytes), null);
	}

	/**
	 * Check a type when a payload of it is first written. A generic type is not checked,
	 * since its parameters are not known here.
	 */
	private String problemOf(Class<?> type) {
		if (type.getTypeParameters().length > 0) {
			return "";
		}
		try {
			String problem = PayloadTypes.problemOf(this.mapper._deserializationContext(),
					this.mapper.constructType(type), this.mapper._serializationContext(), false);
			return (problem != null) ? couldNotBeReadBack(type, problem) : "";
		}
		catch (JacksonException ex) {
			// A type that is only written here need not be readable here.
			return "";
		}
	}

	private static String couldNotBeReadBack(Type type, String problem) {
		return "A payload of " + type.getTypeName() + " could not be read back: " + problem;
	}

	@Override
	public PayloadReader reader(Type type) {
		if (type == byte[].class) {
			return (payload) -> payload;
		}
		if (type == Void.class) {
			return (payload) -> null;
		}
		JavaType javaType = this.mapper.constructType(type);
		requireReadable(type, javaType);
		ObjectReader reader = this.mapper.readerFor(javaType);
		if (type == JobArgs.class) {
			return (payload) -> Objects.requireNonNullElseGet(read(reader, type, payload), () -> JobArgs.of(null));
		}
		return (payload) -> read(reader, type, payload);
	}

	@Override
	public PayloadReader strictReader(Type type) {
		PayloadReader reader = reader(type);
		ObjectReader strict = this.mapper.readerFor(this.mapper.constructType(type))
			.with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
		return (payload) -> {
			try {
				if (payload.length > 0 && type != byte[].class && type != Void.class) {
					strict.readValue(payload);
				}
			}
			catch (Throwable ex) {
				throw JacksonProblem.of(ex, this.mapper::hasProperty).whileMatching();
			}
			finally {
				UnknownProperties.forget();
			}
			return reader.read(payload);
		};
	}

	private void requireReadable(Type type, JavaType javaType) {
		String problem;
		try {
			problem = PayloadTypes.problemOf(this.mapper._deserializationContext(), javaType,
					this.mapper._serializationContext(), true);
		}
		catch (Throwable ex) {
			throw JacksonProblem.of(ex, this.mapper::hasProperty).whilePreparing(type);
		}
		if (problem != null) {
			throw new PayloadException(couldNotBeReadBack(type, problem), null);
		}
	}

	private @Nullable Object read(ObjectReader reader, Type type, byte[] payload) {
		if (payload.length == 0) {
			return null;
		}
		Object value;
		boolean metUnknown;
		try {
			value = reader.readValue(payload);
		}
		catch (Throwable ex) {
			throw JacksonProblem.of(ex, this.mapper::hasProperty).whileReading(type);
		}
		finally {
			metUnknown = UnknownProperties.forget();
		}
		if (metUnknown) {
			requireSomethingKnown(type, payload);
		}
		return value;
	}

	private void requireSomethingKnown(Type type, byte[] payload) {
		try {
			this.mapper.counting().readerFor(this.mapper.constructType(type)).readValue(payload);
		}
		catch (UnknownProperties.NothingKnown ex) {
			throw JacksonProblem.of(ex, this.mapper::hasProperty).whileReading(type);
		}
	}

	/** A mapper that exposes its knowledge of types. */
	private static final class Mapper extends JsonMapper {

		private volatile @Nullable JsonMapper counting;

		Mapper(Builder builder) {
			super(builder);
		}

		/**
		 * Return this mapper with unknown properties counted, created on demand.
		 */
		JsonMapper counting() {
			JsonMapper counting = this.counting;
			if (counting == null) {
				counting = rebuild()
					.addModule(new SimpleModule("jobs-counting").setDeserializerModifier(UnknownProperties.counted()))
					.build();
				this.counting = counting;
			}
			return counting;
		}

		boolean hasProperty(Class<?> type, String name) {
			if (Map.class.isAssignableFrom(type) || JsonNode.class.isAssignableFrom(type)) {
				return false;
			}
			try {
				return _deserializationContext().introspectBeanDescription(constructType(type))
					.findProperties()
					.stream()
					.map(BeanPropertyDefinition::getName)
					.anyMatch(name::equals);
			}
			catch (RuntimeException ex) {
				return false;
			}
		}

	}

}
