package dev.jobs.autoconfigure.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.stream.Collectors;

import dev.jobs.Job;
import dev.jobs.JobArgs;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import dev.jobs.JobType;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * A method that runs jobs, with its form checked.
 *
 * @param type the class of the bean
 * @param method the method
 * @param payloadIndex the position of the payload among the parameters, or -1
 * @param contextIndex the position of the context among the parameters, or -1
 */
record HandlerMethod(Class<?> type, Method method, int payloadIndex, int contextIndex) {

	private static final String ACCEPTED = """
			A job handler method

			    - takes nothing, a payload, a JobContext, or both in any order,
			    - takes as payload a record or other class, a Map, JsonNode, JobArgs, String or byte[],
			    - returns nothing or a JobResult,
			    - in Kotlin, has a block body or returns Unit, and calls suspend functions in runBlocking,
			    - is neither static nor private.

			Change the method to one of these forms.""";

	/**
	 * Inspect a method.
	 * @param type the class of the bean
	 * @param method the method
	 * @return the handler method
	 * @throws InvalidJobsConfigurationException if the form of the method is not
	 * supported
	 */
	static HandlerMethod of(Class<?> type, Method method) {
		int payload = -1;
		int context = -1;
		String problem = problem(method);
		for (int i = 0; i < method.getParameterCount() && problem == null; i++) {
			Class<?> parameter = method.getParameterTypes()[i];
			if (parameter == JobContext.class) {
				problem = (context >= 0) ? "it takes two JobContexts" : null;
				context = i;
			}
			else {
				problem = (payload >= 0) ? "it takes two payloads" : problem(type, method, i);
				payload = i;
			}
		}
		if (problem != null) {
			throw new InvalidJobsConfigurationException(
					"The job handler method " + signature(type, method) + " is not supported: " + problem + ".",
					ACCEPTED);
		}
		return new HandlerMethod(type, method, payload, context);
	}

	private static @Nullable String problem(Method method) {
		if (isSuspending(method)) {
			return "it is a suspend function, and the job would count as done where it suspends first";
		}
		Class<?> returned = method.getReturnType();
		if (returned != void.class && returned != Void.class && returned != JobResult.class
				&& !returned.getName().equals("kotlin.Unit")) {
			return "it returns " + returned.getTypeName();
		}
		if (Modifier.isStatic(method.getModifiers())) {
			return "it is static";
		}
		return Modifier.isPrivate(method.getModifiers()) ? "it is private" : null;
	}

	/** The parameter that the Kotlin compiler adds shows it. */
	private static boolean isSuspending(Method method) {
		int last = method.getParameterCount() - 1;
		return last >= 0 && method.getParameterTypes()[last].getName().equals("kotlin.coroutines.Continuation");
	}

	private static @Nullable String problem(Class<?> type, Method method, int index) {
		Class<?> parameter = method.getParameterTypes()[index];
		if (parameter.isPrimitive()) {
			return "its parameter " + (index + 1) + " is a primitive " + parameter + ", and a job may have no payload";
		}
		if (parameter == Job.class) {
			return "its parameter " + (index + 1) + " is a Job; take a JobContext instead, whose job() is the job";
		}
		return (resolve(type, method, index) instanceof TypeVariable<?>)
				? "the type of its parameter " + (index + 1) + " is open" : null;
	}

	private static Type resolve(Class<?> type, Method method, int index) {
		return GenericTypeResolver.resolveType(method.getGenericParameterTypes()[index], type);
	}

	/**
	 * Return the type to decode payloads to; {@code Void} if the method takes none.
	 */
	Type payloadType() {
		return (this.payloadIndex >= 0) ? resolve(this.type, this.method, this.payloadIndex) : Void.class;
	}

	@Nullable Class<?> payloadClass() {
		return (this.payloadIndex >= 0) ? ResolvableType.forType(payloadType()).resolve() : null;
	}

	/**
	 * Return the annotation on the payload's type, or {@code null}.
	 */
	@Nullable JobType jobType() {
		Class<?> payload = payloadClass();
		return (payload != null) ? AnnotatedElementUtils.findMergedAnnotation(payload, JobType.class) : null;
	}

	/**
	 * Return whether the method takes a payload that must not be {@code null}.
	 */
	boolean needsPayload() {
		return this.payloadIndex >= 0 && payloadClass() != JobArgs.class
				&& !new MethodParameter(this.method, this.payloadIndex).isOptional();
	}

	@Nullable Object[] arguments(@Nullable Object payload, JobContext context) {
		@Nullable Object[] arguments = new @Nullable Object[this.method.getParameterCount()];
		if (this.payloadIndex >= 0) {
			arguments[this.payloadIndex] = payload;
		}
		if (this.contextIndex >= 0) {
			arguments[this.contextIndex] = context;
		}
		return arguments;
	}

	String signature() {
		return signature(this.type, this.method);
	}

	static String signature(Class<?> type, Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", type.getName() + "." + method.getName() + "(", ")"));
	}

}
