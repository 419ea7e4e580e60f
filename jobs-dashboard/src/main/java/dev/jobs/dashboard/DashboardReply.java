package dev.jobs.dashboard;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
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
 * @param streamOf the user to whom the events of the {@link Sampler} follow, or
 * {@code null} if none do
 */
record DashboardReply(HttpStatus status, HttpHeaders headers, byte[] body, @Nullable String streamOf) {

	static DashboardReply of(HttpStatus status, String contentType, byte[] body) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.CONTENT_TYPE, contentType);
		headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
		return new DashboardReply(status, headers, body, null);
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

	static DashboardReply events(String user) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.CONTENT_TYPE, "text/event-stream");
		headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
		headers.set("X-Accel-Buffering", "no");
		return new DashboardReply(HttpStatus.OK, headers, new byte[0], user);
	}

	static DashboardReply tooManyStreams() {
		return error(HttpStatus.SERVICE_UNAVAILABLE,
				"Too many pages are kept up to date by a stream, most of them yours. This one asks now and then instead.");
	}

	DashboardReply with(String header, String value) {
		this.headers.set(header, value);
		return this;
	}

}
