package dev.jobs.docs.migrate;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobArgs;
import dev.jobs.JobHandler;

import org.springframework.stereotype.Component;

@Component
class FromSidekiq {

	final List<String> resized = new ArrayList<>();

	@JobHandler(value = "resize-image", maxAttempts = 25)
	void resize(JobArgs args) {
		String file = args.string("file");
		long width = args.integer("width");
		args.check();
		this.resized.add(file + " at " + width);
	}

}
