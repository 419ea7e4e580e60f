package dev.jobs.serialization;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;

/**
 * Finds out before anything is stored whether a type could be read back: it asks Jackson
 * for the deserializers of the type and of all properties below it, as a reading would.
 */
final class PayloadTypes {

	private final DeserializationContext context;

	private final boolean readHere;

	private final Set<JavaType> seen = new HashSet<>();

	private PayloadTypes(DeserializationContext context, boolean readHere) {
		this.context = context;
		this.readHere = readHere;
	}

	/**
	 * Look for what cannot be read back.
	 * @param context Jackson's context
	 * @param type the type of the payload
	 * @param readHere whether this process reads it; where it is only written, it need
	 * not be possible to create one from JSON
	 * @return the problem and what to do, or {@code null} if there is none
	 */
	static @Nullable String problemOf(DeserializationContext context, JavaType type, boolean readHere) {
		return new PayloadTypes(context, readHere).problem(type, null, "");
	}

	private @Nullable String problem(JavaType type, @Nullable ValueDeserializer<?> given, String path) {
		if (type.getTypeHandler() != null || type.getValueHandler() != null || !this.seen.add(type)) {
			return null;
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
		return (deserializer instanceof BeanDeserializerBase bean && !isOfTheJdk(type.getRawClass()))
				? problem(bean, type, path) : null;
	}

	private @Nullable String problem(BeanDeserializerBase bean, JavaType type, String path) {
		ValueInstantiator instantiator = bean.getValueInstantiator();
		if (this.readHere && !instantiator.canInstantiate()) {
			return at(path) + type.getRawClass().getTypeName()
					+ " has no constructor that can be used. Give it one without parameters, make it a record, "
					+ "or annotate the constructor with @JsonCreator";
		}
		if (bean.getPropertyCount() == 0 && !bean.hasAnySetter() && instantiator.canCreateUsingDefault()
				&& EmptyBeans.hidesSomething(type.getRawClass())) {
			return at(path) + EmptyBeans.problemOf(type.getRawClass());
		}
		Iterator<SettableBeanProperty> properties = bean.properties();
		while (properties.hasNext()) {
			SettableBeanProperty property = properties.next();
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
