package dev.jobs.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Topology}.
 */
class TopologyTests {

	@Test
	void documentSaysWhichFaultsAreInjectedWhere() throws IOException {
		assertThat(Files.readAllLines(Path.of("../docs/reliability.md")))
			.filteredOn((line) -> line.startsWith("| `") && line.matches(".*\\| (yes|no) \\|"))
			.extracting((line) -> line.replaceAll("`([a-z-]+)` \\| [^|]+\\|", "$1 |"))
			.containsExactlyElementsOf(Stream.of(Fault.values()).map(TopologyTests::row).toList());
	}

	private static String row(Fault fault) {
		return Stream.of(Topology.REDIS, Topology.SENTINEL, Topology.CLUSTER, Topology.POSTGRESQL)
			.map((topology) -> topology.faults().contains(fault) ? "yes" : "no")
			.collect(Collectors.joining(" | ", "| " + Options.titleOf(fault) + " | ", " |"));
	}

}
