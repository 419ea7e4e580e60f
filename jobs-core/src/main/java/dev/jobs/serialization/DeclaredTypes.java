package dev.jobs.serialization;

import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.cfg.GeneratorSettings;
import tools.jackson.databind.cfg.SerializationContexts;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.ser.SerializationContextExt;
import tools.jackson.databind.ser.SerializerCache;
import tools.jackson.databind.ser.SerializerFactory;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/**
 * Refuses objects that would be read back as something else: objects of a subclass as the
 * declared class of their property, objects in an {@code Object} as maps. Jackson asks
 * once for each class of values in a property and keeps the answer, so nothing is checked
 * twice.
 */
final class DeclaredTypes extends SerializationContexts {

	private final transient @Nullable ObjectMapper mapper;

	DeclaredTypes() {
		this.mapper = null;
	}

	private DeclaredTypes(ObjectMapper mapper, TokenStreamFactory streams, SerializerFactory serializers,
			SerializerCache cache) {
		super(streams, serializers, cache);
		this.mapper = mapper;
	}

	@Override
	protected SerializationContexts forMapper(Object mapper, TokenStreamFactory streams, SerializerFactory serializers,
			SerializerCache cache) {
		return new DeclaredTypes((ObjectMapper) mapper, streams, serializers, cache);
	}

	@Override
	public SerializationContextExt createContext(SerializationConfig config, GeneratorSettings settings) {
		return new Context(config, settings);
	}

	/**
	 * Describe how a value would be read back as something else.
	 * @return the problem and what to do, or {@code null} if there is no problem
	 */
	private @Nullable String problemOf(Class<?> actual, BeanProperty property, @Nullable JsonGenerator generator) {
		JavaType declared = content(property.getType());
		boolean open = declared.isJavaLangObject();
		if (declared.hasRawClass(actual) || !(open || isSuperclass(declared, actual))
				|| !isReadAs(declared, property, generator)) {
			return null;
		}
		return open
				? "a %s would be read back as a map, since no type is declared. Declare its type, or pass a map"
					.formatted(actual.getTypeName())
				: "a %1$s would be read back as a %2$s, the declared type. Declare the former, or annotate the latter with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) and @JsonSubTypes"
					.formatted(actual.getTypeName(), declared.getRawClass().getTypeName());
	}

	private static boolean isSuperclass(JavaType declared, Class<?> actual) {
		return declared.isConcrete() && declared.getRawClass().isAssignableFrom(actual)
				&& !declared.getRawClass().getName().startsWith("java.");
	}

	/**
	 * Return whether the property is read, and only by its declared type, without type
	 * variables.
	 */
	private boolean isReadAs(JavaType declared, BeanProperty property, @Nullable JsonGenerator generator) {
		Member member = property.getMember().getMember();
		if (property.getAnnotation(JsonDeserialize.class) != null || this.mapper == null || isVariable(member)) {
			return false;
		}
		DeserializationContext context = this.mapper._deserializationContext();
		SettableBeanProperty read = (context.findNonContextualValueDeserializer(
				context.constructType(owner(member, generator))) instanceof BeanDeserializerBase owner)
						? owner.findProperty(property.getFullName()) : null;
		if (read == null || read.getValueTypeDeserializer() != null) {
			return false;
		}
		JavaType type = content(read.getType());
		if (!type.equals(declared) || type.getTypeHandler() != null || type.getValueHandler() != null
				|| context.findTypeDeserializer(type) != null) {
			return false;
		}
		ValueDeserializer<?> deserializer = context.findNonContextualValueDeserializer(type);
		return declared.isJavaLangObject() ? deserializer.getClass().getName().startsWith("tools.jackson.")
				: deserializer instanceof BeanDeserializerBase;
	}

	/** The class of the object being written, perhaps a subclass of the declaring one. */
	private static Class<?> owner(Member member, @Nullable JsonGenerator generator) {
		TokenStreamContext at = (generator != null) ? generator.streamWriteContext() : null;
		while (at != null && !member.getDeclaringClass().isInstance(at.currentValue())) {
			at = at.getParent();
		}
		return (at != null) ? at.currentValue().getClass() : member.getDeclaringClass();
	}

	private static JavaType content(JavaType type) {
		return (type.isContainerType() || type.isReferenceType()) ? content(type.getContentType()) : type;
	}

	private static boolean isVariable(Member member) {
		return (member instanceof Field field) ? isVariable(field.getGenericType())
				: member instanceof Method method && isVariable(method.getGenericReturnType());
	}

	private static boolean isVariable(Type type) {
		if (type instanceof ParameterizedType parameterized) {
			return Stream.of(parameterized.getActualTypeArguments()).anyMatch(DeclaredTypes::isVariable);
		}
		if (type instanceof WildcardType wildcard) {
			return Stream.of(wildcard.getUpperBounds()).anyMatch(DeclaredTypes::isVariable);
		}
		return (type instanceof GenericArrayType array) ? isVariable(array.getGenericComponentType())
				: type instanceof TypeVariable;
	}

	private final class Context extends SerializationContextExt {

		Context(SerializationConfig config, GeneratorSettings settings) {
			super(DeclaredTypes.this._streamFactory, config, settings, DeclaredTypes.this._serializerFactory,
					DeclaredTypes.this._cache);
		}

		@Override
		public ValueSerializer<Object> findPrimaryPropertySerializer(JavaType type, BeanProperty property) {
			return checked(super.findPrimaryPropertySerializer(type, property), type.getRawClass(), property);
		}

		@Override
		public ValueSerializer<Object> findPrimaryPropertySerializer(Class<?> type, BeanProperty property) {
			return checked(super.findPrimaryPropertySerializer(type, property), type, property);
		}

		@Override
		public ValueSerializer<Object> findContentValueSerializer(JavaType type, BeanProperty property) {
			return checked(super.findContentValueSerializer(type, property), type.getRawClass(), property);
		}

		@Override
		public ValueSerializer<Object> findContentValueSerializer(Class<?> type, BeanProperty property) {
			return checked(super.findContentValueSerializer(type, property), type, property);
		}

		private ValueSerializer<Object> checked(ValueSerializer<Object> serializer, Class<?> type,
				@Nullable BeanProperty property) {
			if (serializer instanceof BeanSerializerBase && property != null && property.getMember() != null) {
				String problem = problemOf(type, property, getGenerator());
				if (problem != null) {
					reportBadDefinition(type, problem);
				}
			}
			return serializer;
		}

	}

}
