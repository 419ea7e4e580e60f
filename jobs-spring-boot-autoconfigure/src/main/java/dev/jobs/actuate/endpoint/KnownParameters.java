package dev.jobs.actuate.endpoint;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Refuses what says something that {@link JobsEndpoint} does not know. It would not hear
 * of it, and a mistyped filter of those to be deleted would delete all.
 */
public final class KnownParameters implements OperationInvokerAdvisor {

	private static final EndpointId JOBS = EndpointId.of("jobs");

	@Override
	public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpoint.equals(JOBS)) {
			return invoker;
		}
		Set<String> known = names(parameters, (parameter) -> parameter.getType() != SecurityContext.class);
		Set<String> told = names(parameters, (parameter) -> parameter.getType() != SecurityContext.class
				&& parameter.getAnnotation(Selector.class) == null);
		return (context) -> {
			Set<String> unknown = new TreeSet<>(context.getArguments().keySet());
			unknown.removeAll(known);
			return unknown.isEmpty() ? invoker.invoke(context) : refusal(unknown, told);
		};
	}

	private static Set<String> names(OperationParameters parameters, Predicate<OperationParameter> which) {
		return parameters.stream()
			.filter(which)
			.map(OperationParameter::getName)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static WebEndpointResponse<Object> refusal(Set<String> unknown, Set<String> told) {
		String problem = "Nothing was done, since this is not understood: " + String.join(", ", unknown)
				+ (told.isEmpty() ? "" : ". What is: " + String.join(", ", told));
		return new WebEndpointResponse<>(new Described.Problem(problem), WebEndpointResponse.STATUS_BAD_REQUEST);
	}

}
