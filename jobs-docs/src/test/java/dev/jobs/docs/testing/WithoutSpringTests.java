package dev.jobs.docs.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.test.SettableClock;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WithoutSpringTests {

	@Test
	void jobIsRunWhenItIsDue() {
		List<String> greeted = new ArrayList<>();
		SettableClock clock = SettableClock.at(Instant.parse("2030-01-01T00:00:00Z"));
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(clock)
			.handler("greet", String.class, (name, context) -> {
				greeted.add(name);
				return JobResult.done();
			})
			.build();
		TestJobs jobs = new TestJobs(engine, clock);
		engine.client().enqueue("greet", "Ada", (options) -> options.delay(Duration.ofHours(3)));
		jobs.advance(Duration.ofHours(3));
		assertThat(greeted).containsExactly("Ada");
	}

}
