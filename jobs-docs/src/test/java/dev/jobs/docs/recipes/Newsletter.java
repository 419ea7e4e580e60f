package dev.jobs.docs.recipes;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.JobType;

import org.springframework.stereotype.Component;

@Component
class Newsletter {

	private final JobClient jobs;

	final Counter counter = new Counter();

	Newsletter(JobClient jobs) {
		this.jobs = jobs;
	}

	void send(String issue, List<String> readers) {
		this.counter.start(issue, readers.size());
		this.jobs.enqueueAll(readers.stream()
			.map((reader) -> JobRequest.ofPayload(new Letter(issue, reader))
				.options((options) -> options.tags("issue:" + issue).unique(issue + "/" + reader)))
			.toList());
	}

	@JobHandler("send-letter")
	void send(Letter letter) {
		deliver(letter);
		if (this.counter.oneDone(letter.issue(), letter.reader()) == 0) {
			this.jobs.enqueue(new IssueSent(letter.issue()), (options) -> options.unique(letter.issue()));
		}
	}

	private void deliver(Letter letter) {
		this.counter.delivered.incrementAndGet();
	}

	@JobType("send-letter")
	record Letter(String issue, String reader) {

	}

	@JobType("issue-sent")
	record IssueSent(String issue) {

	}

	/**
	 * A table of the application: a row for each reader of an issue, marked when the
	 * letter is sent.
	 */
	static final class Counter {

		final AtomicInteger delivered = new AtomicInteger();

		private final AtomicInteger left = new AtomicInteger();

		void start(String issue, int readers) {
			this.left.set(readers);
		}

		int oneDone(String issue, String reader) {
			return this.left.decrementAndGet();
		}

	}

}
