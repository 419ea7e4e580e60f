package dev.jobs.autoconfigure.handler;

import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import dev.jobs.JobLane;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.util.ClassUtils;

/**
 * Makes payloads and returned values writable and readable in a native image: their
 * types, the types of their properties, and possible subtypes of these, which are the
 * permitted subclasses of a sealed type and those that {@link JsonSubTypes} names.
 */
class PayloadHints {

	private final BindingReflectionHintsRegistrar registrar = new BindingReflectionHintsRegistrar();

	void register(ReflectionHints hints, Type payload) {
		Deque<Type> types = new ArrayDeque<>(List.of(payload));
		Set<Class<?>> seen = new HashSet<>();
		while (!types.isEmpty()) {
			Type type = types.remove();
			this.registrar.registerReflectionHints(hints, type);
			for (Class<?> met : met(type)) {
				if (seen.add(met)) {
					registerLane(hints, met);
					types.addAll(standIns(met));
				}
			}
		}
	}

	/**
	 * Register a method that returns the lane and need not be a property.
	 */
	private static void registerLane(ReflectionHints hints, Class<?> type) {
		Stream.of(type.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(JobLane.class))
			.forEach((method) -> hints.registerMethod(method, ExecutableMode.INVOKE));
	}

	/**
	 * Return the classes that the registrar meets in a type.
	 */
	private List<Class<?>> met(Type type) {
		RuntimeHints hints = new RuntimeHints();
		this.registrar.registerReflectionHints(hints.reflection(), type);
		return hints.reflection().typeHints().<Class<?>>map(PayloadHints::load).toList();
	}

	private static Class<?> load(TypeHint hint) {
		return ClassUtils.resolveClassName(hint.getType().getName(), null);
	}

	private static List<Class<?>> standIns(Class<?> type) {
		Stream<Class<?>> permitted = type.isSealed() ? Arrays.stream(type.getPermittedSubclasses()) : Stream.empty();
		JsonSubTypes named = type.getAnnotation(JsonSubTypes.class);
		return Stream
			.concat(permitted,
					(named != null) ? Arrays.stream(named.value()).map(JsonSubTypes.Type::value) : Stream.empty())
			.toList();
	}

}
