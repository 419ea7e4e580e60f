package dev.jobs.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.autoconfigure.properties.JobsProperties;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.ApplicationConversionService;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the pages for operators are true.
 */
class OperatingTests {

	private static final String TROUBLESHOOTING = Site.text(Path.of("../docs/troubleshooting.md"));

	private static final Pattern QUOTED = Pattern.compile("(?<![*\\w])\\*([^*|\\s][^*|]*)\\*(?!\\*)");

	private static final List<String> MODULES = List.of("jobs-core", "jobs-redis", "jobs-jdbc",
			"jobs-spring-boot-autoconfigure", "jobs-dashboard");

	/** What a stop takes besides the grace, by {@code JobEngineLifecycle}. */
	private static final Duration MARGIN = Duration.ofSeconds(8);

	/** The default of {@code spring.lifecycle.timeout-per-shutdown-phase}. */
	private static final Duration PHASE = Duration.ofSeconds(30);

	@Test
	void everyLineOfTheLogThatTroubleshootingQuotesIsWritten() throws IOException {
		String code = code();
		List<String> quotes = QUOTED.matcher(TROUBLESHOOTING).results().map((match) -> match.group(1)).toList();
		assertThat(quotes).hasSizeGreaterThan(12)
			.allSatisfy((quote) -> assertThat(Stream.of(quote.split("…|'[^']*'|\\d+|\\bjobs\\.handlers\\.x"))
				.map(String::strip)
				.filter((part) -> part.length() > 3)).allSatisfy((part) -> assertThat(code).contains(part)));
	}

	@Test
	void everyAlertIsExplained() {
		List<String> alerts = Pattern.compile("alert: (\\w+)")
			.matcher(Site.text(Path.of("../docs/operations/alerts.yml")))
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(alerts).isNotEmpty()
			.allSatisfy((alert) -> assertThat(TROUBLESHOOTING).contains("| `" + alert + "` |"));
	}

	@Test
	void podIsGivenTheTimeThatAStopTakes() {
		Map<?, ?> pod = podOf(Site.text(Path.of("../docs/operations/deploying.md")));
		JobsProperties defaults = new Binder(List.of(), null, ApplicationConversionService.getSharedInstance())
			.bindOrCreate("jobs", Bindable.of(JobsProperties.class));
		Duration stop = defaults.shutdown().grace().plus(MARGIN).plus(PHASE);
		int preStop = (Integer) at(pod, "containers", "lifecycle", "preStop", "sleep", "seconds");
		int period = (Integer) at(pod, "terminationGracePeriodSeconds");
		assertThat(Duration.ofSeconds(period)).isGreaterThanOrEqualTo(stop.plusSeconds(preStop));
	}

	@Test
	void pageNamesTheKubernetesThatHasTheSleepOfThePod() {
		assertThat(Site.text(Path.of("../docs/operations/deploying.md"))).contains("preStop:\n              sleep:")
			.contains("`sleep` needs Kubernetes 1.30;");
	}

	@Test
	void probesAskSpringBootsGroups() {
		Map<?, ?> pod = podOf(Site.text(Path.of("../docs/operations/deploying.md")));
		assertThat(at(pod, "containers", "livenessProbe", "httpGet", "path")).isEqualTo("/actuator/health/liveness");
		assertThat(at(pod, "containers", "readinessProbe", "httpGet", "path")).isEqualTo("/actuator/health/readiness");
	}

	@Test
	void linkToAJobIsAnAddressOfItsPage() {
		assertThat(Site.text(Path.of("../docs/operations/dashboard.md"))).contains("/#/job?id=<id>`");
		Path scripts = Path.of("../jobs-dashboard/src/main/resources/dev/jobs/dashboard");
		assertThat(Site.text(scripts.resolve("app.js"))).containsPattern("const PAGES = \\{[^}]*\\bjob,");
		assertThat(Site.text(scripts.resolve("parts.js"))).contains("link(['job'], {id: job.id})");
	}

	private static Map<?, ?> podOf(String page) {
		MatchResult block = Pattern.compile("```yaml kubernetes\n(.*?)```", Pattern.DOTALL)
			.matcher(page)
			.results()
			.findFirst()
			.orElseThrow();
		return (Map<?, ?>) at(new Yaml().load(block.group(1)), "spec", "template", "spec");
	}

	private static Object at(Object value, String... path) {
		Object current = value;
		for (String key : path) {
			Object inner = ((Map<?, ?>) current).get(key);
			current = (inner instanceof List<?> list) ? list.get(0) : inner;
		}
		return current;
	}

	private static String code() throws IOException {
		StringBuilder code = new StringBuilder();
		for (String module : MODULES) {
			try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
				code.append(files.filter((file) -> file.toString().endsWith(".java"))
					.map(Site::text)
					.collect(Collectors.joining()));
			}
		}
		return code.toString()
			.replaceAll("\"\\s*\\+\\s*\"", "")
			.replace("\\\"", "\"")
			.replace("%s", "")
			.replace("{}", "");
	}

}
