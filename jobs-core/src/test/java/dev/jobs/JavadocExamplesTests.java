package dev.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.JavadocExamples.OrderMail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the examples in the Javadoc of {@code dev.jobs}.
 */
class JavadocExamplesTests {

	private static final Pattern EXAMPLE = Pattern.compile("// example (\\w+)\\n(.*?)// end", Pattern.DOTALL);

	private static final Pattern SHOWN = Pattern.compile("<pre class=\"code\">\\{@code\\n(.*?)\\}</pre>",
			Pattern.DOTALL);

	private final JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).build();

	@ParameterizedTest
	@ValueSource(classes = { Backoff.class, EnqueueOptions.class, Enqueued.class, Job.class, JobClient.class,
			JobFilter.class, JobOperations.class, JobRequest.class, JobResult.class, RetryPolicy.class, Unique.class })
	void javadocShowsTheCompiledExample(Class<?> type) throws IOException {
		String source = Files.readString(Path.of("src/main/java/dev/jobs/" + type.getSimpleName() + ".java"));
		Matcher shown = SHOWN.matcher(source);
		assertThat(shown.find()).as("%s shows an example", type.getSimpleName()).isTrue();
		String text = shown.group(1).replaceAll("(?m)^ \\* ?", "");
		assertThat(lines(text)).isEqualTo(lines(examples().get(type.getSimpleName())));
	}

	@Test
	void examplesRun() {
		JobClient jobs = this.engine.client();
		OrderMail mail = new OrderMail("ada", 7);
		assertThat(JavadocExamples.jobClient(jobs, mail, List.of(mail)).isNew()).isTrue();
		assertThat(JavadocExamples.job(jobs, jobs.enqueue(mail).id())).contains(mail);
		assertThat(JavadocExamples.enqueued(jobs, mail)).isTrue();
		assertThat(JavadocExamples.enqueueOptions().getUnique()).isEqualTo(Unique.byKey("order-7"));
		assertThat(JavadocExamples.unique().getOnDuplicate()).isEqualTo(Unique.OnDuplicate.REPLACE);
		assertThat(JavadocExamples.jobRequest(mail).getPayload()).isEqualTo(mail);
		assertThat(JavadocExamples.retryPolicy().getMaxAttempts()).isEqualTo(10);
		assertThat(JavadocExamples.backoff()).isNotNull();
		assertThat(JavadocExamples.jobResult(true).getMessage()).isEqualTo("The mail server is busy");
		assertThat(JavadocExamples.jobOperations(this.engine.operations(), JavadocExamples.jobFilter())).isZero();
	}

	private static List<String> lines(String text) {
		return text.lines().map(String::strip).filter((line) -> !line.isEmpty()).toList();
	}

	private static Map<String, String> examples() throws IOException {
		Map<String, String> examples = new TreeMap<>();
		Matcher example = EXAMPLE.matcher(Files.readString(Path.of("src/test/java/dev/jobs/JavadocExamples.java")));
		while (example.find()) {
			examples.put(example.group(1), example.group(2));
		}
		return examples;
	}

}
