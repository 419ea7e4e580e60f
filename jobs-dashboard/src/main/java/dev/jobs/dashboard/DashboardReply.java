package dev.jobs.dashboard;

import java.nio.charset.StandardCharsets;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * The answer to a request.
 *
 * @param status its status
 * @param headers its headers
 * @param body its body
 */
record DashboardReply(HttpStatus status, HttpHeaders headers, byte[] body) {

	static DashboardReply of(HttpStatus status, String contentType, byte[] body) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.CONTENT_TYPE, contentType);
		headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
		return new DashboardReply(status, headers, body);
	}

	static DashboardReply json(HttpStatus status, String json) {
		return of(status, "application/json", json.getBytes(StandardCharsets.UTF_8));
	}

	static DashboardReply json(JsonNode json) {
		return json(HttpStatus.OK, json.toString());
	}

	static DashboardReply error(HttpStatus status, String message) {
		String sentence = message.endsWith(".") ? message : message + ".";
		return json(status, JsonNodeFactory.instance.objectNode().put("error", sentence).toString());
	}

	DashboardReply with(String header, String value) {
		this.headers.set(header, value);
		return this;
	}

}
