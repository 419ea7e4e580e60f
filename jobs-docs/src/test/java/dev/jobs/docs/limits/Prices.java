package dev.jobs.docs.limits;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobHandler.Lanes;
import dev.jobs.JobType;

import org.springframework.stereotype.Component;

/**
 * What docs/freshness.md shows.
 */
@Component
class Prices {

	final List<String> done = new ArrayList<>();

	private final JobClient jobs;

	Prices(JobClient jobs) {
		this.jobs = jobs;
	}

	void sendCode(LoginCode code) {
		this.jobs.enqueue(code, (options) -> options.expiresIn(Duration.ofMinutes(5)));
	}

	@JobHandler(value = "send-code", expiresIn = "10m", onExpiry = "discard")
	void send(LoginCode code) {
		this.done.add("code " + code.code());
	}

	void quote(Quote quote, Instant closing) {
		this.jobs.enqueue(quote, (options) -> options.deadline(closing));
	}

	@JobHandler("quote")
	void compute(Quote quote, JobContext context) {
		Duration timeout = Objects.requireNonNullElse(context.remaining(), Duration.ofMinutes(1));
		this.done.add(ask(quote.article(), timeout));
	}

	private static String ask(String article, Duration timeout) {
		return "quote of " + article + (timeout.isNegative() ? "" : " in time");
	}

	void changed(Article article) {
		this.jobs.enqueue(article, (options) -> options.debounce("article-" + article.number(), Duration.ofSeconds(30),
				Duration.ofMinutes(5)));
	}

	@JobHandler(value = "index-article", lanes = @Lanes(maxConcurrency = 1))
	void index(Article article) {
		this.done.add("article " + article.text());
	}

	Enqueued warn(Warning warning) {
		return this.jobs.tryEnqueue(warning,
				(options) -> options.throttle("sensor-" + warning.sensor(), Duration.ofHours(1)));
	}

	@JobHandler("warn")
	void warned(Warning warning) {
		this.done.add("warning of " + warning.sensor());
	}

	void pushed(Article article) {
		this.jobs.enqueue(article, (options) -> options.keepLast("article-" + article.number()));
	}

	@JobType("send-code")
	record LoginCode(String to, String code) {

	}

	@JobType("quote")
	record Quote(String article) {

	}

	@JobType("index-article")
	record Article(int number, String text) {

	}

	@JobType("warn")
	record Warning(String sensor) {

	}

}
