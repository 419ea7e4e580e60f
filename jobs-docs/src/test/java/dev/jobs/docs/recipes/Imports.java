package dev.jobs.docs.recipes;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.JobType;
import dev.jobs.UniqueJob;

import org.springframework.stereotype.Component;

@Component
class Imports {

	private static final int STEP = 2;

	private final JobClient jobs;

	final List<String> rows = new ArrayList<>();

	final List<String> file = new ArrayList<>(List.of("a", "b", "c", "d", "e"));

	Imports(JobClient jobs) {
		this.jobs = jobs;
	}

	@JobHandler
	void importPart(ImportPart part, JobContext context) {
		int end = Math.min(part.from() + STEP, this.file.size());
		save(this.file.subList(part.from(), end));
		context.progress(end, this.file.size());
		if (end < this.file.size()) {
			this.jobs.enqueue(JobRequest.ofPayload(new ImportPart(part.file(), end)));
		}
	}

	private void save(List<String> part) {
		part.stream().filter((row) -> !this.rows.contains(row)).forEach(this.rows::add);
	}

	@JobType("import-part")
	@UniqueJob
	record ImportPart(String file, int from) {

	}

}
