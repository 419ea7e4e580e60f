package dev.jobs.docs.start;

import dev.jobs.Enqueued;
import dev.jobs.JobClient;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class Customers {

	private final JobClient jobs;

	Customers(JobClient jobs) {
		this.jobs = jobs;
	}

	@PostMapping("/customers")
	Enqueued register(@RequestParam String email) {
		return this.jobs.enqueue(new Welcome(email));
	}

}
