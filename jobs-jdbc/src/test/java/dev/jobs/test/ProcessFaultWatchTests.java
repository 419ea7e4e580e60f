package dev.jobs.test;

import java.nio.file.Path;
import java.util.List;

import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.test.FaultWatch.Watched;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FaultWatch} over processes.
 */
class ProcessFaultWatchTests {

	@Test
	void faultOfAProcessIsNoticedAsItEnds(@TempDir Path directory) {
		Watched watched = FaultWatch.begin("this", List.of());
		try (JobsProcess process = JobsProcess.start(directory, "server=jdbc:h2:mem:empty", "namespace=none_")) {
			process.await("fault");
		}
		assertThat(FaultWatch.end(watched)).isNotEmpty()
			.allSatisfy((fault) -> assertThat(fault.text()).contains("Loop '", "NONE_"));
	}

}
