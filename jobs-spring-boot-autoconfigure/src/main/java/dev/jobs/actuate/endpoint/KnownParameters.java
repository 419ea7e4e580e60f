package dev.jobs.actuate.endpoint;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Refuses parameters that {@link JobsEndpoint} does not know, and those that are
 * {@code null}. Actuator would silently drop either, and a deletion with a mistyped
 * filter would delete all jobs.
 */
public final class KnownParameters implements OperationInvokerAdvisor {

	private static final EndpointId JOBS = EndpointId.of("jobs");

	private final Supplier<JobsEndpoint> endpoint;

	/**
	 * Create the advisor.
	 * @param endpoint the endpoint, which records refused actions
	 */
	public KnownParameters(Supplier<JobsEndpoint> endpoint) {
		this.endpoint = endpoint;
	}

	@Override
	public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpoint.equals(JOBS)) {
			return invoker;
		}
		Set<String> known = names(parameters, (parameter) -> parameter.getType() != SecurityContext.class);
		Set<String> accepted = names(parameters, (parameter) -> parameter.getType() != SecurityContext.class
				&& parameter.getAnnotation(Selector.class) == null);
		return (context) -> {
			String reason = reason(type, context.getArguments(), known, accepted);
			if (reason == null) {
				return invoker.invoke(context);
			}
			if (type == OperationType.WRITE) {
				refused(context, reason);
			}
			return new WebEndpointResponse<>(JsonBody.error(reason), WebEndpointResponse.STATUS_BAD_REQUEST);
		};
	}

	private static @Nullable String reason(OperationType type, Map<String, Object> arguments, Set<String> known,
			Set<String> accepted) {
		Set<String> unknown = new TreeSet<>(arguments.keySet());
		unknown.removeAll(known);
		if (!unknown.isEmpty()) {
			return "Nothing was done, since these parameters are unknown: " + String.join(", ", unknown)
					+ (accepted.isEmpty() ? "" : ". Known ones: " + String.join(", ", accepted));
		}
		if (type != OperationType.WRITE) {
			return null;
		}
		return arguments.keySet()
			.stream()
			.filter((name) -> arguments.get(name) == null)
			.findFirst()
			.map((name) -> "Nothing was done, since '" + name + "' is null: leave it out, or give it a value")
			.orElse(null);
	}

	private void refused(InvocationContext context, String reason) {
		SecurityContext asker = context.resolveArgument(SecurityContext.class);
		Object action = context.getArguments().get("action");
		this.endpoint.get()
			.refused((asker != null) ? asker : SecurityContext.NONE, (action != null) ? action.toString() : null,
					String.valueOf(context.getArguments()), reason, false);
	}

	private static Set<String> names(OperationParameters parameters, Predicate<OperationParameter> which) {
		return parameters.stream()
			.filter(which)
			.map(OperationParameter::getName)
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
