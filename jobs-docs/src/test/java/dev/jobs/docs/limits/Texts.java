package dev.jobs.docs.limits;

import java.time.Duration;

import dev.jobs.JobHandler;
import dev.jobs.JobHandler.Lanes;
import dev.jobs.JobLane;
import dev.jobs.JobResult;
import dev.jobs.JobType;
import dev.jobs.Rate;
import dev.jobs.operations.JobOperations;

import org.springframework.stereotype.Component;

/**
 * What docs/rates.md shows.
 */
@Component
class Texts {

	private final JobOperations operations;

	final Provider provider = new Provider();

	Texts(JobOperations operations) {
		this.operations = operations;
	}

	@JobHandler(value = "send-text", rate = "100/1m", lanes = @Lanes(rate = "10/1s"))
	JobResult send(SendText text) {
		Duration wait = this.provider.send(text.number());
		return wait.isZero() ? JobResult.done() : JobResult.holdBack(wait).message("too many requests");
	}

	void slowDownAndBack() {
		this.operations.queue("send-text").rate(Rate.parse("20/1m"));
		this.operations.queue("send-text").removeRate();
		this.operations.queue("send-text").rateOfLanes(Rate.parse("5/1s"));
		this.operations.queue("send-text").removeRateOfLanes();
	}

	/** It answers the second text with a time to wait. */
	static class Provider {

		int texts;

		Duration send(String number) {
			return (++this.texts == 2) ? Duration.ofMinutes(1) : Duration.ZERO;
		}

	}

	@JobType("send-text")
	record SendText(@JobLane String country, String number) {

	}

}
