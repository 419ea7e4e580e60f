package dev.jobs.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.store.contract.process.ServerClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
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

	private static final int TRIES = 12;

	private static final String SEED = System.getProperty("jobs.test.seed", "20261123");

	@BeforeAll
	static void extractRedis() {
		RedisServers.executable();
	}

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
	@ValueSource(strings = { "sentinel", "cluster", "redis", "postgresql" })
	void everyPromiseHoldsWhateverIsBroken(String servers) throws IOException {
		Verdict verdict = run(servers, "--servers", servers, "--count", "18", "--pause", "700");
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.faultsInAll()).isGreaterThanOrEqualTo(18);
		assertThat(verdict.figures().get("programs")).isPositive();
		assertThat(verdict.faults()).containsOnlyKeys(faults(verdict.topology()));
		assertThat(verdict.figures().get("jobs acknowledged")).isPositive();
		assertThat(verdict.figures().get("ticks")).isPositive();
	}

	static Stream<Arguments> bugs() {
		return Stream
			.of(Arguments.of("redis", PlantedBug.TOKEN_CHECK_DROPPED, Fault.FREEZE_WORKER, 6, "stale end"),
					Arguments.of("redis", PlantedBug.KEY_RELEASED_EARLY, Fault.EDIT_LIMIT, 30, "key held twice"),
					Arguments.of("postgresql", PlantedBug.LANE_LIMIT_DROPPED, Fault.STOP_WORKER, 4, "lane overfull"),
					Arguments.of("redis", PlantedBug.LANE_NOT_HELD, Fault.STOP_WORKER, 4, "lane not held"),
					Arguments.of("redis", PlantedBug.LANE_ORDER_LOST, Fault.STOP_WORKER, 4, "lane out of order"),
					Arguments.of("redis", PlantedBug.LANE_LEFT_CLOSED, Fault.KILL_WORKER, 8,
							"the lab saw: Jobs are left"),
					Arguments.of("postgresql", PlantedBug.RATE_DROPPED, Fault.STOP_WORKER, 4, "rate exceeded"),
					Arguments.of("redis", PlantedBug.TICK_DOUBLED, Fault.STOP_WORKER, 2, "tick doubled"),
					Arguments.of("redis", PlantedBug.TICK_LOST, Fault.STOP_WORKER, 2, "tick missed"),
					Arguments.of("postgresql", PlantedBug.CLOCK_SET_BACK_UNNOTICED, Fault.JUMP_SERVER_CLOCK, 2,
							"repeated without a cause"),
					Arguments.of("redis", PlantedBug.END_WRITTEN_BEFORE_THE_RUN, Fault.KILL_WORKER, 5, "lost"))
			.filter((bug) -> bug.get()[2] != Fault.JUMP_SERVER_CLOCK || ServerClock.isAvailable());
	}

	/** On a busy machine few jobs run, and maybe none at the moment of a fault. */
	@ParameterizedTest
	@MethodSource("bugs")
	void plantedBugIsFound(String servers, PlantedBug bug, Fault fault, int count, String violation)
			throws IOException {
		find(violation, servers, bug, fault, count);
	}

	static Stream<Arguments> bugsInWhatJobsRemember() {
		return Stream.of(
				Arguments.of("redis", PlantedBug.SAVE_TOKEN_CHECK_DROPPED, Fault.FREEZE_WORKER, 5, "value changed"),
				Arguments.of("postgresql", PlantedBug.SAVE_LOST, Fault.STOP_WORKER, 1, "step repeated"),
				Arguments.of("redis", PlantedBug.SAVES_KNOWN_BY_PLACE, Fault.STOP_WORKER, 1, "wrong result"),
				Arguments.of("redis", PlantedBug.LATER_SIGNAL_WINS, Fault.STOP_WORKER, 1, "signal changed"),
				Arguments.of("postgresql", PlantedBug.SIGNAL_RELEASES_NOBODY, Fault.STOP_WORKER, 1,
						"the lab saw: Jobs are left"),
				Arguments.of("redis", PlantedBug.PARKED_WITHOUT_A_LOOK, Fault.STOP_WORKER, 4,
						"the lab saw: Jobs are left"),
				Arguments.of("redis", PlantedBug.TIME_OUT_FORGOTTEN, Fault.STOP_WORKER, 4, "value changed"),
				Arguments.of("postgresql", PlantedBug.STEP_WITHOUT_ITS_MARK, Fault.STOP_WORKER, 1, "row doubled"));
	}

	@ParameterizedTest
	@MethodSource("bugsInWhatJobsRemember")
	void bugInWhatJobsRememberIsFound(String servers, PlantedBug bug, Fault fault, int count, String violation)
			throws IOException {
		find(violation, servers, bug, fault, count, "--queue", "orders");
	}

	@Test
	void everyBugIsPlanted() {
		Set<Object> planted = Stream.concat(bugs(), bugsInWhatJobsRemember())
			.map((bug) -> bug.get()[1])
			.collect(Collectors.toSet());
		assertThat(PlantedBug.values())
			.filteredOn((bug) -> bug != PlantedBug.CLOCK_SET_BACK_UNNOTICED || ServerClock.isAvailable())
			.allMatch((bug) -> bug == PlantedBug.NONE || planted.contains(bug));
	}

	private void find(String violation, String servers, PlantedBug bug, Fault fault, int count, String... more)
			throws IOException {
		List<String> violations = List.of();
		for (int i = 0; i < TRIES && violations.isEmpty(); i++) {
			List<String> arguments = new ArrayList<>(List.of("--servers", servers, "--count", Integer.toString(count),
					"--pause", (fault == Fault.FREEZE_WORKER) ? "3000" : "400", "--bug", Options.titleOf(bug),
					"--faults", Options.titleOf(fault)));
			arguments.addAll(List.of(more));
			String name = String.join("-", servers, Options.titleOf(bug), violation.replaceAll("\\W+", "-"),
					Integer.toString(i));
			violations = run(name, arguments.toArray(String[]::new)).violations()
				.stream()
				.filter((found) -> found.startsWith(violation))
				.toList();
		}
		assertThat(violations).isNotEmpty();
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
			.withMessageContaining("redis, sentinel, cluster, postgresql");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--seed"), 0))
			.withMessageContaining("needs a value");
	}

}
