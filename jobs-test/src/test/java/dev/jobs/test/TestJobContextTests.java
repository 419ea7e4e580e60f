package dev.jobs.test;

import java.util.Map;

import dev.jobs.Handler;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TestJobContext}.
 */
class TestJobContextTests {

	private static JobResult importLines(int lines, JobContext context) {
		for (int line = 1; line <= lines && !context.cancelled(); line++) {
			context.checkIn("line " + line);
			context.progress(line, lines);
		}
		return (context.attempt() > 2) ? JobResult.discard() : JobResult.done();
	}

	@Test
	void handlerIsCalledLikeAnyMethodAndItsReportsAreNoted() {
		TestJobContext context = new TestJobContext("import-lines");
		assertThat(importLines(3, context)).isEqualTo(JobResult.done());
		assertThat(context.checkIns()).containsExactly("line 1", "line 2", "line 3");
		assertThat(context.progress().checkIn()).isEqualTo("line 3");
		assertThat(context.progress().done()).isEqualTo(3);
		assertThat(context.progress().total()).isEqualTo(3);
	}

	@Test
	void saysWhatTheTestWants() throws Exception {
		Handler<Integer> handler = TestJobContextTests::importLines;
		TestJobContext context = new TestJobContext("import-lines").attempt(3).cancel();
		assertThat(handler.handle(3, context)).isEqualTo(JobResult.discard());
		assertThat(context.checkIns()).isEmpty();
		assertThat(context.name()).isEqualTo("import-lines");
		assertThat(context.id()).isNotEmpty();
		assertThat(context.fencingToken()).isPositive();
		assertThat(context.leaseLost()).isFalse();
		assertThat(context.loseLease().leaseLost()).isTrue();
	}

	@Test
	void hasTheHeadersThatTheTestAdds() {
		TestJobContext context = new TestJobContext("import-lines").header("tenant", "acme")
			.header("jobs.tick", "2030-01-01T00:00:00Z");
		assertThat(context.headers()).isEqualTo(Map.of("tenant", "acme", "jobs.tick", "2030-01-01T00:00:00Z"));
		assertThatIllegalStateException().isThrownBy(() -> context.job().payloadAs(Integer.class))
			.withMessageContaining("from a test");
	}

	@Test
	void isThatOfAnyJob() {
		TestJobContext context = new TestJobContext(
				Job.builder("7", "import-lines").headers(Map.of("tenant", "initech")).build());
		assertThat(context.id()).isEqualTo("7");
		assertThat(context.headers()).isEqualTo(Map.of("tenant", "initech"));
		assertThat(context.attempt()).isOne();
	}

}
