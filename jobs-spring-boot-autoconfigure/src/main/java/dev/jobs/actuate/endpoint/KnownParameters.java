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
 * Refuses what says something that {@link JobsEndpoint} does not know, or nothing where
 * it says something. It would not hear of either, and a mistyped filter of those to be
 * deleted would delete all.
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
			if (!unknown.isEmpty()) {
				return refusal("this is not understood: " + String.join(", ", unknown)
						+ (told.isEmpty() ? "" : ". What is: " + String.join(", ", told)));
			}
			return (type == OperationType.WRITE && context.getArguments().containsValue(null))
					? refusal("a parameter is null: leave it out, or give it a value") : invoker.invoke(context);
		};
	}

	private static Set<String> names(OperationParameters parameters, Predicate<OperationParameter> which) {
		return parameters.stream()
			.filter(which)
			.map(OperationParameter::getName)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static WebEndpointResponse<Object> refusal(String reason) {
		return new WebEndpointResponse<>(new Described.Problem("Nothing was done, since " + reason),
				WebEndpointResponse.STATUS_BAD_REQUEST);
	}

}
