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
 * @param stream whether the events of the {@link Sampler} follow
 */
record DashboardReply(HttpStatus status, HttpHeaders headers, byte[] body, boolean stream) {

	static DashboardReply of(HttpStatus status, String contentType, byte[] body) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.CONTENT_TYPE, contentType);
		headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
		return new DashboardReply(status, headers, body, false);
	}

	static DashboardReply json(HttpStatus status, String json) {
		return of(status, "application/json", json.getBytes(StandardCharsets.UTF_8));
	}

	static DashboardReply json(JsonNode json) {
		return json(HttpStatus.OK, json.toString());
	}

	static DashboardReply error(HttpStatus status, String message) {
		return json(status, JsonNodeFactory.instance.objectNode().put("error", message).toString());
	}

	static DashboardReply events() {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.CONTENT_TYPE, "text/event-stream");
		headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
		headers.set("X-Accel-Buffering", "no");
		return new DashboardReply(HttpStatus.OK, headers, new byte[0], true);
	}

	DashboardReply with(String header, String value) {
		this.headers.set(header, value);
		return this;
	}

}
