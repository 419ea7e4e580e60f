package dev.jobs.docs.recipes;

import java.net.URI;
import java.time.Duration;
import java.util.function.Function;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import dev.jobs.JobType;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;

@Component
class Webhooks {

	Function<Webhook, ResponseEntity<Void>> http = (webhook) -> ResponseEntity.ok().build();

	@JobHandler(timeout = "20s", maxAttempts = 15, maxConcurrency = 20,
			backoff = @JobHandler.RetryDelay(type = "exponential", delay = "10s", maxDelay = "6h", jitter = 0.3))
	JobResult deliver(Webhook webhook, JobContext context) {
		ResponseEntity<Void> response = post(webhook, context.id());
		if (response.getStatusCode().is2xxSuccessful()) {
			return JobResult.done();
		}
		if (response.getStatusCode().value() == 410) {
			return JobResult.discard().message("the receiver has unsubscribed");
		}
		String after = response.getHeaders().getFirst(HttpHeaders.RETRY_AFTER);
		return ((after != null) ? JobResult.retryIn(Duration.ofSeconds(Long.parseLong(after))) : JobResult.retry())
			.message("the receiver returned " + response.getStatusCode());
	}

	private ResponseEntity<Void> post(Webhook webhook, String deliveryId) {
		return this.http.apply(webhook);
	}

	@JobType("deliver-webhook")
	record Webhook(URI url, String event) {

	}

}
