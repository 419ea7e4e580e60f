package dev.jobs.autoconfigure.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.jobs.JobRequest;
import dev.jobs.autoconfigure.ActuatorServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the manifest for KEDA: its query is run against what Prometheus would scrape.
 */
class KedaTests {

	private static final String JOB = "shop";

	@Test
	void queryReturnsHowManyWorkersAreWanted() throws IOException {
		Map<?, ?> metadata = trigger();
		try (ActuatorServer server = ActuatorServer.start(WebApplicationType.NONE, "jobs.metrics.cache-time=100ms")) {
			server.client()
				.enqueueAll(Stream.generate(() -> JobRequest.named("hang").payload(Map.of())).limit(75).toList());
			awaitReplicas(server, metadata, 2);
			server.operations().queue("hang").pause();
			awaitReplicas(server, metadata, 1);
			server.operations().queue("hang").resume();
			server.operations().queue("hang").limit(3);
			awaitReplicas(server, metadata, 1);
		}
	}

	/** By default KEDA takes no figure for zero, and removes workers of a lost store. */
	@Test
	void missingFigureIsAnErrorThatLeavesTheWorkersAlone() throws IOException {
		assertThat(trigger().get("ignoreNullValues")).isEqualTo("false");
		String query = (String) trigger().get("query");
		assertThat(run(query, Map.of("a", ""))).isEmpty();
		assertThat(run(query, Map.of("a", "jobs_workers_wanted{pool=\"default\"} NaN\n"))).hasValue(Double.NaN);
		assertThat(run(query,
				Map.of("a", "jobs_workers_wanted{pool=\"default\"} NaN\n", "b",
						"jobs_workers_wanted{pool=\"default\"} 3.0\njobs_workers_wanted{pool=\"slow\"} 7.0\n")))
			.hasValue(3);
	}

	private static void awaitReplicas(ActuatorServer server, Map<?, ?> metadata, int replicas) {
		PrometheusMeterRegistry registry = server.bean(PrometheusMeterRegistry.class);
		double threshold = Double.parseDouble((String) metadata.get("threshold"));
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			String scraped = registry.scrape();
			OptionalDouble value = run((String) metadata.get("query"), Map.of("a", scraped, "b", scraped));
			assertThat(value).isPresent();
			assertThat(Math.ceil(value.getAsDouble() / threshold)).isEqualTo(replicas);
		});
	}

	private static Map<?, ?> trigger() throws IOException {
		Map<?, ?> manifest = new Yaml().load(Files.readString(Path.of("../docs/operations/keda.yml")));
		Map<?, ?> spec = (Map<?, ?>) manifest.get("spec");
		assertThat(manifest.get("kind")).isEqualTo("ScaledObject");
		assertThat(spec.get("minReplicaCount")).isEqualTo(1);
		Map<?, ?> trigger = (Map<?, ?>) ((List<?>) spec.get("triggers")).get(0);
		assertThat(trigger.get("type")).isEqualTo("prometheus");
		return (Map<?, ?>) trigger.get("metadata");
	}

	/**
	 * Run a query as Prometheus does. It knows {@code max} of one metric with labels.
	 * @param query the query
	 * @param scraped what each instance returned
	 * @return the value, or empty if there is none
	 */
	private static OptionalDouble run(String query, Map<String, String> scraped) {
		Matcher parts = Pattern.compile("max\\((\\w+)\\{(.*)}\\)").matcher(query);
		assertThat(parts.matches()).as(query).isTrue();
		Map<String, String> wanted = labels(parts.group(2));
		Pattern sample = Pattern.compile("(?m)^" + parts.group(1) + "\\{(.*)} (\\S+)$");
		return scraped.entrySet()
			.stream()
			.flatMap((instance) -> sample.matcher(instance.getValue()).results().filter((found) -> {
				Map<String, String> labels = labels(found.group(1));
				labels.putAll(Map.of("job", JOB, "instance", instance.getKey()));
				return labels.entrySet().containsAll(wanted.entrySet());
			}))
			.mapToDouble((found) -> Double.parseDouble(found.group(2)))
			.reduce((one, other) -> Double.isNaN(one) ? other : Double.isNaN(other) ? one : Math.max(one, other));
	}

	private static Map<String, String> labels(String text) {
		Map<String, String> labels = new TreeMap<>();
		for (MatchResult label : Pattern.compile("(\\w+)=\"([^\"]*)\"").matcher(text).results().toList()) {
			labels.put(label.group(1), label.group(2));
		}
		return labels;
	}

}
