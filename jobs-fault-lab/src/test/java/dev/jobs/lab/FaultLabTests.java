package dev.jobs.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.jobs.store.contract.process.ServerClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link FaultLab}: a short trial on each kind of servers, and the bugs that it
 * has to find. The system property {@code jobs.test.seed} chooses other faults. Two
 * trials run at once, as each waits for its processes most of the time.
 */
@Execution(ExecutionMode.CONCURRENT)
class FaultLabTests {

	private static final String SEED = System.getProperty("jobs.test.seed", "20261123");

	private Verdict run(String name, String... arguments) throws IOException {
		// It stays, so that a broken promise can be investigated.
		Path directory = Path.of("target", "lab", name);
		List<String> all = Stream
			.concat(Stream.of("--seed", SEED, "--directory", directory.toString()), Stream.of(arguments))
			.toList();
		List<Verdict> verdicts = FaultLab.run(Options.parse(all, 0));
		assertThat(verdicts).hasSize(1);
		return verdicts.get(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sentinel", "redis", "postgresql" })
	void everyPromiseHoldsWhateverIsBroken(String servers) throws IOException {
		Verdict verdict = run(servers, "--servers", servers, "--count", "22", "--pause", "900");
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.faultsInAll()).isGreaterThanOrEqualTo(22);
		assertThat(verdict.faults()).containsOnlyKeys(faults(verdict.topology()));
		assertThat(verdict.figures().get("jobs acknowledged")).isPositive();
		assertThat(verdict.figures().get("ticks")).isPositive();
	}

	@ParameterizedTest
	@CsvSource({ "redis, token-check-dropped, freeze-worker, stale end",
			"redis, key-released-early, edit-limit, key held twice",
			"redis, end-written-before-the-run, kill-worker, lost",
			"postgresql, end-written-before-the-run, kill-worker, lost" })
	void plantedBugIsFound(String servers, String bug, String fault, String violation) throws IOException {
		Verdict verdict = run(servers + "-" + bug, "--servers", servers, "--count", "10", "--pause", "500", "--bug",
				bug, "--faults", fault);
		assertThat(verdict.violations()).anyMatch((found) -> found.startsWith(violation + ": "));
	}

	/**
	 * The clock of a server is set by a library that not every machine has.
	 */
	private static Fault[] faults(Topology topology) {
		return topology.faults()
			.stream()
			.filter((fault) -> fault != Fault.JUMP_SERVER_CLOCK || ServerClock.isAvailable())
			.toArray(Fault[]::new);
	}

	@Test
	void whatIsNotUnderstoodIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--bugs", "none"), 0))
			.withMessageContaining("--bugs");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--servers", "oracle"), 0))
			.withMessageContaining("redis, sentinel, postgresql");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--seed"), 0))
			.withMessageContaining("needs a value");
	}

}
