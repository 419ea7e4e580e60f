package dev.jobs.autoconfigure.handler;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
			    - returns nothing, a JobResult or a value, and waits for a Future or Publisher itself,
			    - in Kotlin, calls suspend functions in runBlocking,
			    - is neither static nor private.

			Change the method to one of these forms.""";

	/** Types of what is returned before the work is done; their subtypes count too. */
	private static final Set<String> LATER = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Flow$Publisher",
			"java.util.stream.BaseStream", "org.reactivestreams.Publisher",
			"io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.rxjava3.core.MaybeSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.SingleSource",
			"io.smallrye.mutiny.Uni", "kotlin.sequences.Sequence", "kotlinx.coroutines.Job",
			"kotlinx.coroutines.flow.Flow");

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
		String problem = problem(type, method);
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

	private static @Nullable String problem(Class<?> type, Method method) {
		if (isSuspending(method)) {
			return "it is a suspend function, and the job would count as done where it suspends first";
		}
		Class<?> returned = GenericTypeResolver.resolveReturnType(method, type);
		if (isLater(returned)) {
			return "it returns " + returned.getTypeName() + ", and the job would count as done before its work is";
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

	private static boolean isLater(@Nullable Class<?> type) {
		return type != null && (LATER.contains(type.getName()) || isLater(type.getSuperclass())
				|| Stream.of(type.getInterfaces()).anyMatch(HandlerMethod::isLater));
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

	/**
	 * Return the type of the values that the method returns; {@code Void} if it returns
	 * none.
	 */
	Type valueType() {
		return (this.method.getReturnType() != JobResult.class)
				? GenericTypeResolver.resolveType(this.method.getGenericReturnType(), this.type) : Void.class;
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

	/**
	 * Return what becomes of the job.
	 * @param returned what the method has returned; {@code null} if nothing
	 */
	JobResult result(@Nullable Object returned) {
		boolean unit = returned != null && returned.getClass().getName().equals("kotlin.Unit");
		return (returned instanceof JobResult result) ? result : JobResult.done(unit ? null : returned);
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
