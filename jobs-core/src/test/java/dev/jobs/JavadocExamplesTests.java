package dev.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.JavadocExamples.OrderMail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.LaneOperations;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.support.ListedJob;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the examples in the Javadoc of {@code dev.jobs}.
 */
class JavadocExamplesTests {

	private static final Pattern EXAMPLE = Pattern.compile("// example (\\w+)\\n(.*?)// end", Pattern.DOTALL);

	/** Within a code tag, an annotation at the start of a line cannot be written. */
	private static final Pattern SHOWN = Pattern
		.compile("<pre class=\"code\">(?:\\{@code\\n(.*?)\\}</pre>|\\n(.*?)</pre>)", Pattern.DOTALL);

	private final JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).build();

	@ParameterizedTest
	@ValueSource(classes = { Backoff.class, BulkStatus.class, Deaths.class, EnqueueInterceptor.class,
			EnqueueOptions.class, EnqueueUnconfirmedException.class, Enqueued.class, Handler.class, Job.class,
			JobArgs.class, JobClient.class, JobContext.class, JobCount.class, JobEvent.class, JobFilter.class,
			JobHandler.class, JobListener.class, JobOperations.class, JobPage.class, JobRejectedException.class,
			JobRequest.class, JobResult.class, JobStoreException.class, JobType.class, LaneOperations.class,
			LaneStatus.class, PageRequest.class, QueueStatistics.class, QueueStatus.class, Rate.class,
			RetryPolicy.class, RunInterceptor.class, ScheduleRequest.class, ScheduleStatus.class, StoreStatus.class,
			Trail.class, Unique.class, UniqueJob.class, UnknownNameException.class, WaitReason.class,
			WorkerStatus.class })
	void javadocShowsTheCompiledExample(Class<?> type) throws IOException {
		Matcher shown = SHOWN.matcher(source(type.getSimpleName()));
		assertThat(shown.find()).as("%s shows an example", type.getSimpleName()).isTrue();
		String shownText = (shown.group(1) != null) ? shown.group(1) : shown.group(2).replace("&#64;", "@");
		String text = shownText.replaceAll("(?m)^ \\* ?", "");
		assertThat(plain(text)).isEqualTo(plain(examples().getOrDefault(type.getSimpleName(), "")));
	}

	@Test
	void examplesRun() {
		JobClient jobs = this.engine.client();
		OrderMail mail = new OrderMail("ada", 7);
		assertThat(JavadocExamples.jobClient(jobs, mail, List.of(mail)).isNew()).isTrue();
		assertThat(JavadocExamples.job(jobs, jobs.enqueue(mail).id())).contains(mail);
		assertThat(JavadocExamples.enqueued(jobs, mail)).startsWith("Job ").contains(" may run at ");
		JavadocExamples.enqueueOptions(jobs, mail);
		assertThat(jobs.findUnique("send-email", "order-7")).isPresent();
		assertThat(JavadocExamples.unique().getOnDuplicate()).isEqualTo(Unique.OnDuplicate.REPLACE);
		assertThat(JavadocExamples.jobRequest(mail).getPayload()).isEqualTo(mail);
		assertThat(JavadocExamples.retryPolicy().getMaxAttempts()).isEqualTo(10);
		assertThat(JavadocExamples.backoff()).isNotNull();
		assertThat(JavadocExamples.rate()).containsOnly(JavadocExamples.rate().get(0));
		assertThat(JavadocExamples.jobResult(true).getMessage()).isEqualTo("The mail server is busy");
		jobs.enqueue("resize-image");
		assertThat(JavadocExamples.bulkStatus(this.engine.operations(), JavadocExamples.jobFilter()))
			.isEqualTo("0 of 0 retried");
		assertThat(JavadocExamples.jobOperations(this.engine.operations(), JavadocExamples.jobFilter())).isZero();
	}

	@Test
	void everyExampleIsShown() throws IOException {
		assertThat(examples().keySet()).allSatisfy((name) -> assertThat(source(name)).containsPattern(SHOWN));
	}

	@Test
	void examplesOfOperatorsRun() {
		JobClient jobs = this.engine.client();
		JobOperations operations = this.engine.operations();
		Enqueued enqueued = jobs.enqueue(new OrderMail("ada", 7));
		Job job = jobs.find(enqueued.id()).orElseThrow();
		operations.queue("send-email").pause();
		List<String> lines = new ArrayList<>();
		JavadocExamples.deaths(operations, lines);
		assertThat(lines).isEmpty();
		assertThat(JavadocExamples.queueStatus(operations)).containsExactly("send-email");
		jobs.enqueue(JobRequest.named("send-invoice").options((options) -> options.lane("tenant:42")));
		assertThat(JavadocExamples.laneStatus(operations)).isEmpty();
		assertThat(JavadocExamples.laneOperations(operations)).isOne();
		assertThat(JavadocExamples.workerStatus(operations)).isZero();
		assertThat(JavadocExamples.scheduleStatus(operations)).isEmpty();
		assertThat(operations.schedule("report:42").put(JavadocExamples.scheduleRequest()))
			.isEqualTo(ScheduleOperations.Put.NEW);
		assertThat(JavadocExamples.storeStatus(operations)).isEmpty();
		assertThat(JavadocExamples.queueStatistics(operations, enqueued.dueAt())).isZero();
		assertThat(JavadocExamples.waitReason(operations, job)).isTrue();
		assertThat(JavadocExamples.pageRequest(operations, JobFilter.all())).containsExactly(ListedJob.listed(job));
		assertThat(JavadocExamples.jobPage(operations).jobs()).isEmpty();
		assertThat(JavadocExamples.jobCount(operations)).isEqualTo("0 dead jobs");
		assertThat(JavadocExamples.trail(job)).isEqualTo("attempt 1, 0 failed: no failure so far");
	}

	@Test
	void examplesOfErrorsRun() {
		JobClient jobs = this.engine.client();
		OrderMail mail = new OrderMail("ada", 7);
		assertThat(JavadocExamples.jobRejectedException(jobs, mail)).isZero();
		assertThat(JavadocExamples.jobStoreException(jobs, "none")).isEqualTo("Done");
		assertThat(JavadocExamples.unknownNameException(this.engine.operations())).contains("'send-mial'");
		assertThat(JavadocExamples.enqueueUnconfirmedException(jobs, List.of(mail))).isEmpty();
	}

	@Test
	void examplesOfHandlersRun() {
		List<String> lines = new ArrayList<>();
		List<String> alerts = new ArrayList<>();
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore())
			.handler(HandlerDefinition.of("send-email", OrderMail.class, (mail, context) -> {
				JavadocExamples.jobContext(context, 3);
				JavadocExamples.handler().handle(mail, context);
				return new JavadocExamples.Mails().send(mail, context);
			}))
			.enqueueInterceptors(List.of(JavadocExamples.enqueueInterceptor()))
			.runInterceptors(List.of(JavadocExamples.runInterceptor()))
			.listeners(List.of(JavadocExamples.jobListener(lines), JavadocExamples.jobEvent(alerts)))
			.build();
		engine.client().enqueueAll(List.of(new OrderMail("ada", 7), new OrderMail("", 8)));
		assertThat(engine.runUntilIdle()).isEqualTo(2);
		assertThat(lines).isNotEmpty();
		assertThat(alerts).containsExactly("send-email died of Nobody to send it to");
		assertThat(JavadocExamples.jobArgs()).isEqualTo("ada2");
	}

	private static String source(String type) throws IOException {
		Path folder = Path.of("src/main/java/dev/jobs");
		Path file = folder.resolve(type + ".java");
		return Files.readString(Files.exists(file) ? file : folder.resolve("operations").resolve(type + ".java"));
	}

	private static String plain(String text) {
		return text.replaceAll("\\s+", "");
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
