package dev.jobs.docs.handlers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.Backoff;
import dev.jobs.EnqueueInterceptor;
import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import dev.jobs.JobResult;
import dev.jobs.RunInterceptor;
import dev.jobs.autoconfigure.JobEngineCustomizer;
import dev.jobs.autoconfigure.handler.HandlerCustomizer;
import dev.jobs.docs.handlers.Billing.RefundCard;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.web.client.HttpClientErrorException;

/**
 * What docs/handlers.md shows.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@ComponentScan
class HandlersApplication {

	final List<String> alerts = new ArrayList<>();

	@Bean
	EnqueueInterceptor tenantTravelsWithTheJob() {
		return (requests, next) -> next
			.proceed(requests.stream().map((request) -> request.header("tenant", Tenant.current())).toList());
	}

	@Bean
	RunInterceptor tenantIsThatOfTheEnqueue() {
		return (context, next) -> {
			Tenant.set(context.headers().getOrDefault("tenant", "none"));
			try {
				return next.proceed();
			}
			finally {
				Tenant.clear();
			}
		};
	}

	@Bean
	JobListener deathsAreReported() {
		return (event) -> {
			if (event instanceof JobEvent.Died died) {
				this.alerts.add(died.name() + " is dead (" + died.reason() + "): " + died.error());
			}
		};
	}

	@Bean
	HandlerCustomizer clientErrorsAreFinal() {
		return (name, options) -> options
			.retry((policy) -> policy.noRetryFor((ex) -> ex instanceof HttpClientErrorException));
	}

	@Bean
	JobEngineCustomizer threadsWithNamesOfTheShop() {
		return (builder) -> builder.threadFactories((pool) -> new CustomizableThreadFactory("shop-" + pool + "-"));
	}

	@Bean
	JobEngineCustomizer refundsNeedNoBean() {
		return (builder) -> builder.handler("refund-card", RefundCard.class, (refund, context) -> {
			context.checkIn("order " + refund.order());
			return JobResult.done();
		}, (options) -> options.maxConcurrency(2).retry((retry) -> retry.maxAttempts(3)));
	}

	@Bean
	Backoff quickThenHourly() {
		return (job, failures, random) -> (failures < 3) ? Duration.ofSeconds(10) : Duration.ofHours(1);
	}

}
