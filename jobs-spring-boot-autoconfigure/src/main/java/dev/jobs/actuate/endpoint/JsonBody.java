package dev.jobs.actuate.endpoint;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.jobs.json.Views;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The body of an answer, which Actuator writes with its own mapper, not the
 * application's.
 *
 * @param json the body
 */
record JsonBody(@JsonValue ObjectNode json) implements OperationResponseBody {

	/**
	 * Return the body of a refusal or a fault.
	 */
	static JsonBody error(@Nullable String error) {
		return new JsonBody(Views.object().put("error", String.valueOf(error)));
	}

}
