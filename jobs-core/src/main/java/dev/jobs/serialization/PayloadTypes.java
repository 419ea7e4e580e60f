package dev.jobs.serialization;

import java.lang.reflect.Modifier;
import java.util.Calendar;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.CreatorProperty;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/**
 * Finds out before anything is stored whether a type could be read back: it asks Jackson
 * for the deserializers of the type and of all properties below it, as reading would.
 */
final class PayloadTypes {

	private final DeserializationContext context;

	private final SerializationContext written;

	/** Whether this process reads payloads of the type. */
	private final boolean isRead;

	private final Set<JavaType> seen = new HashSet<>();

	private PayloadTypes(DeserializationContext context, SerializationContext written, boolean isRead) {
		this.context = context;
		this.written = written;
		this.isRead = isRead;
	}

	/**
	 * Look for something that cannot be read back.
	 * @param context Jackson's context
	 * @param type the type of the payload
	 * @param written knows how payloads are written
	 * @param isRead whether this process reads them; if not, it need not be possible to
	 * create one from JSON
	 * @return the problem and what to do, or {@code null} if there is no problem
	 */
	static @Nullable String problemOf(DeserializationContext context, JavaType type, SerializationContext written,
			boolean isRead) {
		return new PayloadTypes(context, written, isRead).problem(type, null, "");
	}

	private @Nullable String problem(JavaType type, @Nullable ValueDeserializer<?> given, String path) {
		if (type.getTypeHandler() != null || type.getValueHandler() != null || !this.seen.add(type)) {
			return null;
		}
		if (type.isMapLikeType()) {
			String problem = MapKeys.problemOf(type.getKeyType(), this.written, this.context);
			if (problem != null) {
				return at(path) + problem;
			}
		}
		if (type.isReferenceType() && type.getContentType().isReferenceType()) {
			return at(path) + "a " + type.getRawClass().getTypeName() + " of a "
					+ type.getContentType().getRawClass().getTypeName()
					+ " could not be read back, since null would stand for either being empty. Use one of them";
		}
		if (type.isContainerType() || type.isReferenceType()) {
			return problem(type.getContentType(), null, path + (type.isContainerType() ? "[*]" : ""));
		}
		if (this.context.findTypeDeserializer(type) != null) {
			return null;
		}
		ValueDeserializer<?> deserializer = (given != null) ? given
				: this.context.findNonContextualValueDeserializer(type);
		if (deserializer instanceof AbstractDeserializer) {
			return at(path) + problemOfAbstract(type.getRawClass());
		}
		if (isOfTheJdk(type.getRawClass())) {
			String problem = problemOfTheJdk(type.getRawClass(), deserializer);
			return (problem != null) ? at(path) + problem : null;
		}
		return (deserializer instanceof BeanDeserializerBase bean) ? problem(bean, type, path) : null;
	}

	private static @Nullable String problemOfTheJdk(Class<?> type, ValueDeserializer<?> deserializer) {
		if (deserializer instanceof BeanDeserializerBase && !Throwable.class.isAssignableFrom(type)) {
			return type.getTypeName() + " has no JSON that it could be read back from. Use a type of your own";
		}
		boolean isJacksons = deserializer.getClass().getName().startsWith("tools.jackson.databind.");
		if (isJacksons && type.getName().equals("java.sql.Timestamp")) {
			return type.getTypeName() + " would lose what is below a millisecond. Use java.time.Instant";
		}
		return (isJacksons && Calendar.class.isAssignableFrom(type))
				? type.getTypeName() + " would lose its time zone. Use java.time.ZonedDateTime" : null;
	}

	private @Nullable String problem(BeanDeserializerBase bean, JavaType type, String path) {
		ValueInstantiator instantiator = bean.getValueInstantiator();
		if (this.isRead && !canBeCreated(instantiator, type)) {
			return at(path) + type.getRawClass().getTypeName() + problemOfConstructors(type.getRawClass());
		}
		if (bean.getPropertyCount() == 0 && instantiator.canCreateUsingDefault() && !takesAnyProperty(type)
				&& EmptyBeans.hidesSomething(type.getRawClass())) {
			return at(path) + EmptyBeans.problemOf(type.getRawClass());
		}
		Set<String> written = writtenNames(type);
		Iterator<SettableBeanProperty> properties = bean.properties();
		while (properties.hasNext()) {
			SettableBeanProperty property = properties.next();
			if (property instanceof CreatorProperty && !written.isEmpty() && !written.contains(property.getName())
					&& !isOnlyRead(property)) {
				return at(path + "." + property.getName()) + "a value would be lost: the constructor of "
						+ type.getRawClass().getTypeName() + " takes it, and nothing writes it. Add a getter, or "
						+ "annotate the parameter with @JsonProperty(access = Access.WRITE_ONLY)";
			}
			if (property.getValueTypeDeserializer() == null) {
				String problem = problem(property.getType(),
						property.hasValueDeserializer() ? property.getValueDeserializer() : null,
						path + "." + property.getName());
				if (problem != null) {
					return problem;
				}
			}
		}
		return null;
	}

	/** The deserializer reports this only from Jackson 3.1 on. */
	private boolean takesAnyProperty(JavaType type) {
		return this.context.introspectBeanDescription(type).findAnySetterAccessor() != null;
	}

	/**
	 * Return the names of the written properties, or nothing if they are not known.
	 */
	private Set<String> writtenNames(JavaType type) {
		Set<String> names = new HashSet<>();
		if (this.written.findValueSerializer(type) instanceof BeanSerializerBase serializer) {
			serializer.properties().forEachRemaining((property) -> names.add(property.getName()));
		}
		return names;
	}

	private static boolean isOnlyRead(SettableBeanProperty property) {
		JsonProperty annotation = property.getAnnotation(JsonProperty.class);
		return annotation != null && annotation.access() == JsonProperty.Access.WRITE_ONLY;
	}

	/**
	 * Return whether the type is created from a JSON object. A type that is written as
	 * something else, such as text, or that has an explicit creator, need not be.
	 */
	private boolean canBeCreated(ValueInstantiator instantiator, JavaType type) {
		if (instantiator.canCreateUsingDefault() || instantiator.canCreateFromObjectWith()
				|| instantiator.canCreateUsingDelegate() || instantiator.canCreateUsingArrayDelegate()) {
			return true;
		}
		return instantiator.canInstantiate()
				&& (hasCreator(type) || !(this.written.findValueSerializer(type) instanceof BeanSerializerBase));
	}

	private boolean hasCreator(JavaType type) {
		BeanDescription description = this.context.introspectBeanDescription(type);
		return Stream
			.concat(description.getConstructorsWithMode().stream(), description.getFactoryMethodsWithMode().stream())
			.anyMatch((creator) -> creator.metadata != null);
	}

	private static String problemOfConstructors(Class<?> type) {
		if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
			return " is an inner class: make it static";
		}
		return (type.getDeclaredConstructors().length > 1)
				? " has several constructors: annotate one with @JsonCreator, or make it a record"
				: " has no constructor that can be used. Give it one without parameters, make it a record, "
						+ "or annotate the constructor with @JsonCreator";
	}

	private static String problemOfAbstract(Class<?> type) {
		String kind = type.isSealed() ? "a sealed type" : (type.isInterface() ? "an interface" : "an abstract type");
		String subtypes = type.isSealed() ? "" : " and @JsonSubTypes";
		return type.getTypeName() + " is " + kind + ", and JSON does not say which of its subtypes a value had. "
				+ (isOfTheJdk(type) ? "Use a type that can be created" : "Annotate it with "
						+ "@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)" + subtypes + ", or use one of its subtypes");
	}

	private static String at(String path) {
		return path.isEmpty() ? "" : "at '" + (path.startsWith(".") ? path.substring(1) : path) + "' ";
	}

	private static boolean isOfTheJdk(Class<?> type) {
		return type.getName().startsWith("java.") || type.getName().startsWith("javax.");
	}

}
