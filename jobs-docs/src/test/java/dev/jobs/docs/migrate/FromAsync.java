package dev.jobs.docs.migrate;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobType;

import org.springframework.stereotype.Component;

@Component
class FromAsync {

	private final JobClient jobs;

	final List<String> sent = new ArrayList<>();

	FromAsync(JobClient jobs) {
		this.jobs = jobs;
	}

	void register(String email) {
		this.jobs.enqueue(new Welcome(email));
	}

	@JobHandler
	void sendWelcome(Welcome welcome) {
		this.sent.add(welcome.email());
	}

	@JobType("send-welcome")
	record Welcome(String email) {

	}

}
