package dev.jobs.sample;

import java.time.Duration;

import dev.jobs.Backoff;
import dev.jobs.autoconfigure.handler.HandlerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.HttpClientErrorException;

/**
 * What annotations and properties cannot say about retries.
 */
@Configuration(proxyBeanMethods = false)
class Retries {

	/** What another server calls our mistake is one in the next attempt too. */
	@Bean
	HandlerCustomizer clientErrorsAreFinal() {
		return (name, options) -> options
			.retry((retry) -> retry.noRetryFor((ex) -> ex instanceof HttpClientErrorException));
	}

	@Bean
	Backoff soonThenHourly() {
		return (job, failures, random) -> (failures < 3) ? Duration.ofSeconds(5) : Duration.ofHours(1);
	}

}
