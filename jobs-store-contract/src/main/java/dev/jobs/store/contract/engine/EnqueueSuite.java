package dev.jobs.store.contract.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobException;
import dev.jobs.JobFilter;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.JobType;
import dev.jobs.PageRequest;
import dev.jobs.RetryPolicy;
import dev.jobs.Unique;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.serialization.PayloadException;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.contract.AllJobs;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.QueueView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * The promises about enqueues: stored, refused and waiting jobs.
 */
public abstract class EnqueueSuite extends EngineSuite {

	private final RecordingHandler handler = new RecordingHandler();

	// --- tags

	@Test
	void tagsOfTheHandlerAndOfTheRequestTravelWithTheJob() {
		JobEngine engine = build(builder()
			.handler(this.handler.named("a").with(EnqueueOptions.of((set) -> set.tags(List.of("team:billing"))))));
		String id = engine.client()
			.enqueue(JobRequest.named("a").tags("customer:42", "b").header("h", "v").tags("b"))
			.id();
		assertThat(job(id).tags()).containsExactly("b", "customer:42", "team:billing");
		assertThat(job(id).headers()).containsEntry("h", "v");
		assertThat(job(engine.client().enqueue("a").id()).tags()).containsExactly("team:billing");
		assertThat(job(engine.client().enqueue("plain").id()).headers()).isEmpty();
		assertThat(AllJobs.of(this.store.inspector(), JobFilter.of((only) -> only.tag("customer:42")),
				this.clock.instant()))
			.extracting(Job::id)
			.containsExactly(id);
	}

	@Test
	void tagThatIsNotFitIsRefusedInWords() {
		EnqueueOptions options = EnqueueOptions.defaults();
		for (String tag : List.of("", "a,b", " a", "a ", "a\nb", "x".repeat(101))) {
			assertThatIllegalArgumentException().isThrownBy(() -> options.with((set) -> set.tags(tag)))
				.withMessageContaining("a tag has 1 to 100 characters");
		}
		assertThat(options.with((set) -> set.tags("x".repeat(100), "customer:42 <b>")).getTags()).hasSize(2);
		List<String> ten = IntStream.range(0, 10).mapToObj((i) -> "t" + i).toList();
		EnqueueOptions full = options.with((set) -> set.tags(ten).tags("t3"));
		assertThat(full.getTags()).isEqualTo(ten);
		assertThatIllegalArgumentException().isThrownBy(() -> full.with((set) -> set.tags("more")))
			.withMessageContaining("at most 10 tags, not 11");
	}

	// --- name and payload

	@Test
	void nameAloneMayComeWithOptionsOrNull() {
		JobEngine engine = build(builder());
		assertThat(engine.client().enqueue("alone", (options) -> options.delay(Duration.ofHours(1))).dueAt())
			.isEqualTo(START.plus(Duration.ofHours(1)));
		assertThat(engine.client().enqueue("alone", null).isNew()).isTrue();
		assertThat(jobs()).allSatisfy((job) -> assertThat(job.payloadSize()).isZero());
	}

	@Test
	void handlerGetsWhatWasEnqueuedOnce() {
		JobEngine engine = engine();
		engine.client().enqueue("a", Map.of("to", "someone"));
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly(Map.of("to", "someone"));
	}

	@Test
	void answersWithTheIdOfTheStoredJob() {
		Enqueued enqueued = engine().client().enqueue("a");
		assertThat(job(enqueued.id()).name()).isEqualTo("a");
	}

	@Test
	void idsAreUnique() {
		JobClient client = engine().client();
		List<String> ids = IntStream.range(0, 300).mapToObj((i) -> client.enqueue("a").id()).toList();
		assertThat(ids).doesNotHaveDuplicates();
	}

	@Test
	void createdTimeIsThatOfTheEnqueueForEver() {
		JobEngine engine = engine(HandlerOptions.of((set) -> set.retryPolicy(twice())));
		this.handler.thenFail("no");
		this.clock.advance(Duration.ofMillis(7));
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(5));
		engine.runUntilIdle();
		engine.operations().job(id).retry();
		assertThat(job(id).createdAt()).isEqualTo(START.plusMillis(7));
	}

	@ParameterizedTest
	@MethodSource("values")
	void payloadArrivesEqualOnEveryWay(@Nullable Object payload) {
		JobEngine engine = engine(HandlerOptions.of((set) -> set.retryPolicy(twice())));
		this.handler.thenFail("no");
		String id = engine.client().enqueue("a", payload, (options) -> options.delay(Duration.ofSeconds(5))).id();
		this.clock.advance(Duration.ofSeconds(5));
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(5));
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
		engine.operations().job(id).retry();
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly(payload, payload, payload);
	}

	static Stream<@Nullable Object> values() {
		Map<String, @Nullable Object> nested = new HashMap<>();
		nested.put("null", null);
		nested.put("list", Arrays.asList(1, null, List.of(), Map.of(), List.of(Map.of("deep", "ü"))));
		nested.put("empty list", List.of());
		nested.put("empty map", Map.of());
		return Stream.of(null, "text", "", "👩‍👩‍👧 \u0000 \" \\ \n", Long.MAX_VALUE, Long.MIN_VALUE,
				9007199254740993L, 0.1, -1.5e300, true, false, List.of(), Map.of(), nested);
	}

	@Test
	void bytesArriveEqual() {
		List<byte[]> seen = new CopyOnWriteArrayList<>();
		JobEngine engine = build(builder().handler(HandlerDefinition.of("a", byte[].class, (payload, context) -> {
			seen.add(payload);
			return JobResult.done();
		})));
		byte[] every = new byte[1024 * 1024];
		for (int i = 0; i < every.length; i++) {
			every[i] = (byte) i;
		}
		engine.client().enqueue("a", new byte[] { 0 });
		engine.client().enqueue("a", every);
		engine.runUntilIdle();
		assertThat(seen).usingElementComparator(Arrays::compare).containsExactly(new byte[] { 0 }, every);
	}

	@Test
	void payloadOfTenMegabytesArrivesEqual() {
		JobEngine engine = build(builder().handler(this.handler.named("a"))
			.settings(EngineSettings.defaults().withMaxPayloadBytes(11 * 1024 * 1024)));
		String text = "0123456789".repeat(1024 * 1024);
		engine.client().enqueue("a", text);
		engine.runUntilIdle();
		assertThat(this.handler.payloads().get(0)).isEqualTo(text);
	}

	@Test
	void payloadAtTheSizeLimitIsTaken() {
		JobClient client = build(builder().settings(EngineSettings.defaults().withMaxPayloadBytes(10))).client();
		assertThat(client.enqueue("a", new byte[10]).isNew()).isTrue();
	}

	@Test
	void payloadAboveTheSizeLimitIsRefused() {
		JobClient client = build(builder().settings(EngineSettings.defaults().withMaxPayloadBytes(10))).client();
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> client.enqueue("a", new byte[11]))
			.withMessageContainingAll("'a'", "11", "10");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void payloadThatCannotBeWrittenIsRefusedAndNothingStored() {
		JobClient client = engine().client();
		List<Object> cycle = new ArrayList<>();
		cycle.add(cycle);
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> client.enqueue("a", cycle))
			.isInstanceOf(JobException.class);
		assertThat(jobs()).isEmpty();
	}

	@Test
	void jobThatWaitsGetsAnotherPayload() {
		JobEngine engine = engine();
		String id = engine.client()
			.enqueue("a", "old", (options) -> options.header("h", "v").delay(Duration.ofHours(1)))
			.id();
		assertThat(engine.operations().job(id).replacePayload(Map.of("to", "new"))).isTrue();
		assertThat(engine.operations().job("unknown").replacePayload("new")).isFalse();
		assertThat(engine.runUntilIdle()).isZero();
		this.clock.advance(Duration.ofHours(1));
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly(Map.of("to", "new"));
		assertThat(this.handler.jobs().get(0).headers()).isEqualTo(Map.of("h", "v"));
	}

	@Test
	void anotherPayloadIsCheckedAsByAnEnqueue() {
		JobEngine engine = build(builder().settings(EngineSettings.defaults().withMaxPayloadBytes(10))
			.handler(HandlerDefinition.of("count", Integer.class, (number, context) -> JobResult.done())));
		String id = engine.client().enqueue("count", 1).id();
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> engine.operations().job(id).replacePayload("two"))
			.withMessageContaining("does not take a payload of java.lang.String");
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> engine.operations().job(id).replacePayload(new byte[11]))
			.withMessageContainingAll("'count'", "11", "10");
		assertThat(engine.client().find(id).orElseThrow().payloadAs(Integer.class)).isOne();
	}

	@Test
	void anotherPayloadForAJobThatHasEndedIsRefusedInWords() {
		JobEngine engine = engine();
		this.handler.thenReturn(JobResult.discard());
		String id = engine.client().enqueue("a", "old").id();
		engine.runUntilIdle();
		assertThatIllegalStateException().isThrownBy(() -> engine.operations().job(id).replacePayload("new"))
			.withMessage("Job 'a' " + id + " is DEAD, and only a job that waits can get another payload");
		assertThat(engine.client().find(id).orElseThrow().payloadAs(String.class)).isEqualTo("old");
	}

	@Test
	void headersTravelWithTheJob() {
		JobEngine engine = engine();
		engine.client().enqueue("a", (options) -> options.header("tenant", "ü").header("trace", ""));
		engine.runUntilIdle();
		assertThat(this.handler.jobs().get(0).headers()).isEqualTo(Map.of("tenant", "ü", "trace", ""));
	}

	@Test
	void headersAtTheLimitAreTaken() {
		Consumer<EnqueueOptions.Builder> options = (set) -> set.header("name", "v".repeat(16 * 1024 - 4));
		assertThat(engine().client().enqueue("a", options).isNew()).isTrue();
	}

	@Test
	void headersThatNotAllStoresKeepAreRefused() {
		JobEngine engine = engine();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> engine.client().enqueue("a", (options) -> options.tags("t").header("h", "\0")))
			.withMessageContaining("'h'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EnqueueOptions.of((options) -> options.header("jobs.tags", "x".repeat(101))))
			.withMessageContaining("100 characters");
	}

	@Test
	void headersThatJobsSetsItselfAreRefused() {
		JobClient client = engine().client();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.enqueue("a", (options) -> options.header("jobs.tick", "now")))
			.withMessage("The header 'jobs.tick' is not valid: names that begin with 'jobs.' are reserved");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void headersWithControlCharactersAreRefused() {
		JobClient client = engine().client();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.enqueue("a", (options) -> options.header("a\nb", "v")))
			.withMessage("The header 'a?b' contains a control character");
	}

	@Test
	void valueThatCannotHaveANameIsRefusedWithAWayOut() {
		JobClient client = engine().client();
		Runnable lambda = () -> {
		};
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueue(Map.of("a", 1)))
			.withMessageEndingWith(": enqueue by name, or declare a handler that takes it");
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueue(List.of(1)))
			.withMessageContaining("use enqueueAll");
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueue(lambda))
			.withMessageContaining("it is a lambda, which is no payload");
	}

	@Test
	@SuppressWarnings("NullAway")
	void nullIsRefusedWithWhatIsNull() {
		JobClient client = engine().client();
		assertThatNullPointerException().isThrownBy(() -> client.enqueue((Object) null))
			.withMessage("'payload' must not be null; a job without a payload is enqueued by its name");
		assertThatNullPointerException().isThrownBy(() -> client.enqueueAll(Arrays.asList(JobRequest.named("a"), null)))
			.withMessage("Element 1 of the jobs is null");
		assertThatNullPointerException().isThrownBy(() -> client.reschedule("id", null))
			.withMessage("'dueAt' must not be null");
	}

	@Test
	void requestOrOptionsAsAPayloadAreRefused() {
		JobRequest request = JobRequest.named("a");
		assertThatIllegalArgumentException().isThrownBy(() -> JobRequest.named("b").payload(request))
			.withMessage("The payload is a JobRequest; enqueue that as it is");
		EnqueueOptions options = EnqueueOptions.of((set) -> set.unique("order-7"));
		assertThatIllegalArgumentException().isThrownBy(() -> JobRequest.named("b").payload(options))
			.withMessage("The payload is EnqueueOptions; set them by a lambda, as in options -> options.unique(key)");
	}

	@Test
	void headersAboveTheLimitAreRefused() {
		JobClient client = engine().client();
		String value = "v".repeat(16 * 1024 - 3);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.enqueue("a", (options) -> options.header("name", value)))
			.withMessageContaining("16385");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void payloadTypeFindsItsHandler() {
		List<Object> seen = new CopyOnWriteArrayList<>();
		JobEngine engine = build(builder()
			.handler(HandlerDefinition.of("first", First.Payload.class, (payload, context) -> done(seen, payload)))
			.handler(HandlerDefinition.of("second", Second.Payload.class, (payload, context) -> done(seen, payload))));
		engine.client().enqueue(new Second.Payload("2"));
		engine.client().enqueue(new First.Payload(1));
		engine.runUntilIdle();
		assertThat(seen).containsExactlyInAnyOrder(new First.Payload(1), new Second.Payload("2"));
	}

	@Test
	void payloadTypeWithoutNameIsRefused() {
		JobClient client = engine().client();
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueue(new First.Payload(1)))
			.withMessageContaining("@JobType");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void jobTypeNamesTheJobWithoutAnyHandler() {
		String id = build(builder()).client().enqueue(new Named(1)).id();
		assertThat(job(id).name()).isEqualTo("named");
	}

	@Test
	void jobTypeOfASealedParentNamesTheJob() {
		String id = build(builder()).client().enqueue(new Welcome("ada")).id();
		assertThat(job(id).name()).isEqualTo("letter");
	}

	@Test
	void payloadOfAFoundJobIsReadAsItsType() {
		JobEngine engine = build(builder());
		String id = engine.client().enqueue(new Named(7)).id();
		assertThat(engine.client().find(id)).get()
			.extracting((job) -> job.payloadAs(Named.class))
			.isEqualTo(new Named(7));
	}

	@Test
	void payloadOfAListedJobIsReadByItsId() {
		JobEngine engine = build(builder());
		engine.client().enqueue(new Named(7));
		Job listed = engine.operations().jobs(JobFilter.all()).page(PageRequest.oldestFirst(1)).jobs().get(0);
		assertThatIllegalStateException().isThrownBy(() -> listed.payloadAs(Named.class))
			.withMessageContaining("look the job up by its id");
		assertThat(engine.operations().job(listed.id()).find().orElseThrow().payloadAs(Named.class))
			.isEqualTo(new Named(7));
	}

	@Test
	void payloadOfARunningJobIsReadAsItsType() {
		List<Object> seen = new ArrayList<>();
		JobEngine engine = build(builder().handler(HandlerDefinition.of("named", Map.class, (payload, context) -> {
			seen.add(context.job().payloadAs(Named.class));
			return JobResult.done();
		})));
		engine.client().enqueue(new Named(7));
		engine.runUntilIdle();
		assertThat(seen).containsExactly(new Named(7));
	}

	@Test
	void enqueueAllTakesPayloadsAndRequestsMixed() {
		List<Enqueued> enqueued = build(builder()).client()
			.enqueueAll(List.of(new Named(1), JobRequest.named("other"), new Welcome("ada")));
		assertThat(enqueued).extracting((one) -> job(one.id()).name()).containsExactly("named", "other", "letter");
	}

	@Test
	void textAmongManyIsRefusedSinceItMayBeANameOrAPayload() {
		JobClient client = build(builder()).client();
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueueAll(List.of("text")))
			.withMessageContaining("JobRequest.ofPayload(...)");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void textIsAPayloadIfTheRequestSaysSo() {
		JobEngine engine = build(
				builder().handler(HandlerDefinition.of("print", String.class, (payload, context) -> JobResult.done())));
		String id = engine.client().enqueue(JobRequest.ofPayload("some text")).id();
		assertThat(job(id).name()).isEqualTo("print");
	}

	@Test
	void tryEnqueueReturnsTheIdOfTheJob() {
		Enqueued enqueued = build(builder()).client().tryEnqueue(new Named(1));
		assertThat(enqueued.isNew()).isTrue();
		assertThat(job(enqueued.id()).name()).isEqualTo("named");
	}

	@Test
	void jobsOfAFormerNameReachTheHandler() {
		build(builder()).client().enqueue("former", "old");
		build(builder().handler(this.handler.named("present").withAliases("former"))).runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly("old");
	}

	@Test
	void storedJobShowsWhatItIs() {
		Enqueued enqueued = engine().client().enqueue("a", "text", (options) -> options.delay(Duration.ofMinutes(1)));
		Job job = job(enqueued.id());
		assertThat(job.payload()).isEqualTo("\"text\"".getBytes(StandardCharsets.UTF_8));
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(job.createdAt()).isEqualTo(START);
		assertThat(job.dueAt()).isEqualTo(START.plusSeconds(60)).isEqualTo(enqueued.dueAt());
		assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
	}

	@Test
	void attemptGrowsWithEveryDelivery() {
		JobEngine engine = engine(HandlerOptions
			.of((set) -> set.retryPolicy(twice().with((retry) -> retry.maxAttempts(3).backoff(now())))));
		this.handler.thenFail("no");
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(this.handler.jobs()).extracting(Job::attempt).containsExactly(1, 2, 3);
	}

	@Test
	void equalJobsAreDistinct() {
		JobEngine engine = engine();
		Enqueued first = engine.client().enqueue("a", "same");
		Enqueued second = engine.client().enqueue("a", "same");
		engine.runUntilIdle();
		assertThat(this.handler.ids()).containsExactly(first.id(), second.id());
	}

	// --- queue and namespace

	@Test
	void queueIsListedBeforeAnyWorkerRuns() {
		build(builder()).client().enqueue("a");
		assertThat(queue("a").ready()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a:b", "a,b", "a b", "a/b", "{a}", "-a", ".a", "ä", "a\n" })
	void invalidNameIsRefused(String name) {
		JobClient client = build(builder()).client();
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueue(name))
			.withMessageContaining("The job name '" + name + "' is not valid");
		assertThat(this.store.inspector().queues(START)).isEmpty();
	}

	@Test
	void nameOfAHundredCharactersIsTheLongest() {
		JobClient client = build(builder()).client();
		client.enqueue("n".repeat(100));
		assertThatIllegalArgumentException().isThrownBy(() -> client.enqueue("n".repeat(101)));
		assertThat(this.store.inspector().queues(START)).extracting(QueueView::name).containsExactly("n".repeat(100));
	}

	@Test
	void nameThatLooksLikePartOfAnotherDoesNotMix() {
		JobEngine engine = engine();
		engine.client().enqueue("a.lock");
		engine.client().enqueue("a-1");
		engine.client().enqueue("A");
		assertThat(engine.runUntilIdle()).isZero();
		assertThat(queue("a.lock").ready()).isEqualTo(1);
	}

	@Test
	void namespacesShareNoJobs() {
		JobEngine here = engine();
		JobEngine there = elsewhere();
		there.client().enqueue("a");
		assertThat(here.runUntilIdle()).isZero();
		assertThat(jobs()).isEmpty();
	}

	@Test
	void namespacesShareNoUniqueKeys() {
		elsewhere().client().enqueue("a", "x", (options) -> options.unique(Unique.byPayload()));
		assertThat(engine().client().enqueue("a", "x", (options) -> options.unique(Unique.byPayload())).isNew())
			.isTrue();
	}

	@Test
	void namespacesShareNoPause() {
		JobEngine here = engine();
		elsewhere().operations().queue("a").pause();
		here.client().enqueue("a");
		assertThat(here.runUntilIdle()).isEqualTo(1);
	}

	@Test
	void purgeRemovesOneNamespaceOnly() {
		JobEngine here = engine();
		JobEngine there = elsewhere();
		here.client().enqueue("a");
		there.client().enqueue("a");
		here.operations().store().purge();
		assertThat(jobs()).isEmpty();
		assertThat(there.runUntilIdle()).isEqualTo(1);
	}

	@Test
	void deleteAllStaysWithinItsNamespace() {
		JobEngine there = elsewhere();
		there.client().enqueue("a");
		assertThat(engine().operations().jobs(JobFilter.of((only) -> only.states(JobState.READY))).delete()).isZero();
		assertThat(there.runUntilIdle()).isEqualTo(1);
	}

	// --- faults of the store

	@Test
	void refusalOfTheStoreReachesTheCaller() {
		JobClient client = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				throw JobStoreException.refused("out of reach", null, true);
			}

		}).build().client();
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> client.enqueue("a"))
			.withMessage("out of reach");
	}

	@Test
	void enqueueWhoseReplyGotLostStoresOneJobAndAnswersWithIt() {
		JobStore forgetful = new ForwardingStore(this.store) {

			private boolean lost;

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				List<Enqueued> enqueued = super.enqueue(jobs, now);
				if (!this.lost) {
					this.lost = true;
					throw new JobStoreException("the reply got lost", null, true);
				}
				return enqueued;
			}

		};
		Enqueued enqueued = new JobEngineBuilder(forgetful).clock(this.clock).build().client().enqueue("a");
		assertThat(enqueued.outcome()).isEqualTo(Outcome.NEW);
		assertThat(jobs()).extracting(Job::id).containsExactly(enqueued.id());
	}

	@Test
	void batchWhoseReplyGotLostIsStoredOnce() {
		JobStore forgetful = new ForwardingStore(this.store) {

			private int calls;

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				List<Enqueued> enqueued = super.enqueue(jobs, now);
				if (this.calls++ % 2 == 0) {
					throw new JobStoreException("the reply got lost", null, true);
				}
				return enqueued;
			}

		};
		List<Enqueued> enqueued = new JobEngineBuilder(forgetful).clock(this.clock)
			.build()
			.client()
			.enqueueAll(requests(1200));
		assertThat(enqueued).allMatch(Enqueued::isNew);
		assertThat(jobs()).extracting(Job::id)
			.containsExactlyInAnyOrderElementsOf(enqueued.stream().map(Enqueued::id).toList());
	}

	// --- time

	@Test
	void delayedJobDoesNotRunBeforeItsTime() {
		JobEngine engine = engine();
		engine.client().enqueue("a", (options) -> options.delay(Duration.ofSeconds(3)));
		this.clock.advance(Duration.ofMillis(2999));
		assertThat(engine.runUntilIdle()).isZero();
	}

	@Test
	void delayedJobRunsAtItsTime() {
		JobEngine engine = engine();
		engine.client().enqueue("a", (options) -> options.delay(Duration.ofSeconds(3)));
		this.clock.advance(Duration.ofSeconds(3));
		assertThat(engine.runUntilIdle()).isEqualTo(1);
	}

	/** The engine goes by the real clock, nothing wakes it, and it never polls. */
	@Test
	void startedEngineRunsADelayedJobWithoutItsSafetyPoll() {
		JobEngine engine = build(
				new JobEngineBuilder(this.store).settings(EngineSettings.defaults().withPoll(Duration.ofHours(1)))
					.handler(this.handler.named("a")));
		engine.start();
		engine.client().enqueue("a", "now");
		await("the engine works", () -> this.handler.runs() == 1);
		engine.client().enqueue("a", "later", (options) -> options.delay(Duration.ofMillis(300)));
		await("the delayed job has run", () -> this.handler.runs() == 2);
	}

	@Test
	void dueTimeIsReturned() {
		JobClient client = engine().client();
		assertThat(client.enqueue("a").dueAt()).isEqualTo(START);
		assertThat(client.enqueue("a", (options) -> options.delay(Duration.ofMillis(3001))).dueAt())
			.isEqualTo(START.plusMillis(3001));
		assertThat(client.enqueue("a", (options) -> options.at(START.plusSeconds(9))).dueAt())
			.isEqualTo(START.plusSeconds(9));
	}

	@Test
	void dueTimeIsNeverEarlierThanAsked() {
		JobClient client = engine().client();
		assertThat(client.enqueue("a", (options) -> options.at(START.plusNanos(1))).dueAt())
			.isEqualTo(START.plusMillis(1));
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, -1, -86_400_000 })
	void delayOfZeroOrLessIsNow(long millis) {
		JobEngine engine = engine();
		Enqueued enqueued = engine.client().enqueue("a", (options) -> options.delay(Duration.ofMillis(millis)));
		assertThat(enqueued.dueAt()).isEqualTo(START);
		assertThat(engine.runUntilIdle()).isEqualTo(1);
	}

	@Test
	void instantInThePastIsNow() {
		JobEngine engine = engine();
		engine.client().enqueue("a", (options) -> options.at(START.minusSeconds(60)));
		assertThat(engine.runUntilIdle()).isEqualTo(1);
	}

	// --- full queues

	@Test
	void producerBlocksUntilTheFullQueueHasRoom() throws Exception {
		JobEngine engine = bounded(100);
		engine.client().enqueueAll(requests(100));
		FutureTask<Enqueued> enqueue = new FutureTask<>(
				() -> engine.client().enqueue("a", "last", (options) -> options.waitForRoom(Duration.ofMinutes(1))));
		blocked(enqueue);
		assertThat(queue("a").waiting()).isEqualTo(100);
		engine.runUntilIdle();
		assertThat(enqueue.get(30, TimeUnit.SECONDS).isNew()).isTrue();
	}

	@Test
	void tryEnqueueOfFullQueueReturnsFullAndStoresNothing() {
		JobEngine engine = bounded(1);
		engine.client().enqueue("a", "first");
		assertThat(engine.client().tryEnqueue(JobRequest.named("a").payload("second")).isFull()).isTrue();
		assertThat(queue("a").waiting()).isEqualTo(1);
	}

	@Test
	void tryEnqueueOfFullQueueDoesNotWait() {
		JobClient client = bounded(1).client();
		Consumer<EnqueueOptions.Builder> patient = (set) -> set.waitForRoom(Duration.ofMinutes(1));
		client.enqueue("a");
		long fastest = IntStream.range(0, 50).mapToLong((i) -> {
			long before = System.nanoTime();
			client.tryEnqueue(JobRequest.named("a").options(patient));
			return System.nanoTime() - before;
		}).min().orElseThrow();
		assertThat(Duration.ofNanos(fastest)).isLessThan(Duration.ofMillis(50));
	}

	@Test
	void tryEnqueueWithRoomStoresTheJob() {
		JobEngine engine = bounded(1);
		assertThat(engine.client().tryEnqueue(JobRequest.named("a").payload("first")).isFull()).isFalse();
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly("first");
	}

	@Test
	void tryEnqueueWithTimeoutReturnsFullAfterTheTimeout() throws Exception {
		JobClient client = bounded(1).client();
		client.enqueue("a");
		long before = System.nanoTime();
		assertThat(client.tryEnqueue(JobRequest.named("a"), Duration.ofMillis(100)).isFull()).isTrue();
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofMillis(100),
				Duration.ofSeconds(20));
	}

	@Test
	void tryEnqueueWithTimeoutStoresTheJobOnceThereIsRoom() throws Exception {
		JobEngine engine = bounded(1);
		engine.client().enqueue("a");
		FutureTask<Enqueued> enqueue = new FutureTask<>(
				() -> engine.client().tryEnqueue(JobRequest.named("a"), Duration.ofMinutes(1)));
		blocked(enqueue);
		engine.runUntilIdle();
		assertThat(enqueue.get(30, TimeUnit.SECONDS).isNew()).isTrue();
	}

	@Test
	void tryEnqueueWithTimeoutCanBeInterrupted() {
		JobClient client = bounded(1).client();
		client.enqueue("a");
		FutureTask<Enqueued> enqueue = new FutureTask<>(
				() -> client.tryEnqueue(JobRequest.named("a"), Duration.ofMinutes(1)));
		blocked(enqueue).interrupt();
		assertThat(enqueue).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(java.util.concurrent.ExecutionException.class)
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(queue("a").waiting()).isEqualTo(1);
	}

	@Test
	void closingReleasesAllBlockedProducersWithAnError() {
		JobEngine engine = bounded(1);
		engine.client().enqueue("a");
		List<FutureTask<Enqueued>> producers = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			FutureTask<Enqueued> producer = new FutureTask<>(
					() -> engine.client().enqueue("a", (options) -> options.waitForRoom(Duration.ofMinutes(10))));
			blocked(producer);
			producers.add(producer);
		}
		engine.closeClient();
		assertThat(producers).allSatisfy((producer) -> assertThat(producer).failsWithin(Duration.ofSeconds(30))
			.withThrowableOfType(java.util.concurrent.ExecutionException.class)
			.withCauseInstanceOf(JobRejectedException.class));
		assertThat(queue("a").waiting()).isEqualTo(1);
	}

	@Test
	void closedClientTakesNothing() {
		JobEngine engine = engine();
		engine.closeClient();
		assertThatExceptionOfType(JobRejectedException.class).isThrownBy(() -> engine.client().enqueue("a"))
			.withMessageContaining("closed");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void closedClientTakesJobsAgainAfterTheNextStart() {
		JobEngine engine = engine();
		engine.closeClient();
		engine.start();
		assertThat(engine.client().enqueue("a").isNew()).isTrue();
	}

	@Test
	void fullQueueRejectsAndSaysWhenToTryAgain() {
		JobClient client = bounded(2).client();
		client.enqueueAll(requests(2));
		assertThatExceptionOfType(JobRejectedException.class).isThrownBy(() -> client.enqueue("a", "third"))
			.withMessageContaining("'a'")
			.satisfies((ex) -> assertThat(ex.getRetryAfter()).isPositive());
		assertThat(queue("a").waiting()).isEqualTo(2);
	}

	@Test
	void fullQueueIsNamedWithItsBoundAlsoIfThePayloadGivesTheName() {
		JobClient client = build(builder()).client();
		client.enqueueAll(List.of(new Named(1), new Named(2)));
		assertThatExceptionOfType(JobRejectedException.class).isThrownBy(() -> client.enqueue(new Named(3)))
			.withMessage("The queue of 'named' is full: as many jobs wait as its max-waiting allows, which is 2");
	}

	@Test
	void negativeWaitForRoomIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EnqueueOptions.of((set) -> set.waitForRoom(Duration.ofSeconds(-1))))
			.withMessage("'waitForRoom' must not be negative but was PT-1S");
	}

	@Test
	void waitForRoomMayComeFromTheRule() {
		JobEngine engine = build(
				builder().rule("a", EnqueueOptions.of((set) -> set.maxWaiting(1).waitForRoom(Duration.ofMillis(60)))));
		engine.client().enqueue("a");
		long before = System.nanoTime();
		assertThatExceptionOfType(JobRejectedException.class).isThrownBy(() -> engine.client().enqueue("a"));
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(60));
	}

	@Test
	void maximumLengthOfTheEnqueueOutweighsThatOfTheRule() {
		JobClient client = bounded(1).client();
		client.enqueue("a");
		assertThat(client.enqueue("a", (options) -> options.maxWaiting(2)).isNew()).isTrue();
	}

	@Test
	void maximumLengthOfTheEnqueueMayBeNone() {
		JobClient client = bounded(1).client();
		client.enqueue("a");
		assertThat(client.enqueue("a", (options) -> options.maxWaiting(0)).isNew()).isTrue();
	}

	@Test
	void maximumLengthOfTheTypeHoldsWithoutAnyHandler() {
		JobClient client = build(builder()).client();
		client.enqueue(new Named(1));
		client.enqueue(new Named(2));
		assertThatExceptionOfType(JobRejectedException.class).isThrownBy(() -> client.enqueue(new Named(3)));
	}

	// --- many at once

	@Test
	void enqueueAllStoresThousandsAndAnswersInOrder() {
		JobEngine engine = engine();
		List<Enqueued> enqueued = engine.client().enqueueAll(requests(3000));
		assertThat(enqueued).hasSize(3000).allMatch(Enqueued::isNew);
		assertThat(enqueued).extracting(Enqueued::id).doesNotHaveDuplicates();
		assertThat(job(enqueued.get(2777).id()).payload()).isEqualTo("2777".getBytes(StandardCharsets.UTF_8));
		assertThat(engine.runUntilIdle()).isEqualTo(3000);
	}

	@Test
	void enqueueAllKeepsTheOrder() {
		JobEngine engine = engine();
		List<Enqueued> enqueued = engine.client().enqueueAll(requests(1200));
		engine.runUntilIdle();
		assertThat(this.handler.ids()).isEqualTo(enqueued.stream().map(Enqueued::id).toList());
	}

	@Test
	void enqueueAllOfNothingDoesNothing() {
		assertThat(engine().client().enqueueAll(List.of())).isEmpty();
		assertThat(this.store.inspector().queues(START)).isEmpty();
	}

	@Test
	void enqueueAllAnswersFullInsteadOfWaiting() {
		JobEngine engine = build(
				builder().rule("a", EnqueueOptions.of((set) -> set.maxWaiting(2).waitForRoom(Duration.ofDays(1)))));
		assertThat(engine.client().enqueueAll(requests(3))).extracting(Enqueued::outcome)
			.containsExactly(Outcome.NEW, Outcome.NEW, Outcome.FULL);
	}

	@Test
	void enqueueAllMixesNamesDelaysAndDuplicates() {
		Consumer<EnqueueOptions.Builder> once = (set) -> set.unique(Unique.byPayload());
		List<Enqueued> enqueued = engine().client()
			.enqueueAll(List.of(JobRequest.named("a").payload(1).options(once),
					JobRequest.named("b").payload(1).options((set) -> set.delay(Duration.ofSeconds(1))),
					JobRequest.named("a").payload(1).options(once)));
		assertThat(enqueued).extracting(Enqueued::outcome).containsExactly(Outcome.NEW, Outcome.NEW, Outcome.DUPLICATE);
		assertThat(enqueued.get(2).id()).isEqualTo(enqueued.get(0).id());
		assertThat(enqueued.get(1).dueAt()).isEqualTo(START.plusSeconds(1));
	}

	@Test
	void enqueueAllWithOneInvalidRequestStoresNothing() {
		JobClient client = engine().client();
		assertThatIllegalArgumentException().isThrownBy(() -> client
			.enqueueAll(List.of(JobRequest.named("a").payload(1), JobRequest.named("not valid").payload(2))));
		assertThat(jobs()).isEmpty();
	}

	@Test
	void enqueuesOfManyThreadsAreAllStored() {
		JobClient client = engine().client();
		List<FutureTask<List<String>>> producers = IntStream.range(0, 8)
			.mapToObj((i) -> new FutureTask<>(
					() -> IntStream.range(0, 100).mapToObj((n) -> client.enqueue("a").id()).toList()))
			.toList();
		producers.forEach((producer) -> new Thread(producer).start());
		List<String> ids = new ArrayList<>();
		producers.forEach((producer) -> assertThat(producer).succeedsWithin(Duration.ofSeconds(60))
			.satisfies((some) -> ids.addAll(some)));
		assertThat(jobs()).extracting(Job::id).hasSize(800).containsExactlyInAnyOrderElementsOf(ids);
	}

	// --- interceptors

	@Test
	@SuppressWarnings("NullAway")
	void interceptorThatReturnsNullFailsTheEnqueueAndIsNamed() {
		JobClient client = build(builder().enqueueInterceptors(List.of((requests, next) -> null))).client();
		assertThatIllegalStateException().isThrownBy(() -> client.enqueue("a"))
			.withMessageStartingWith("The EnqueueInterceptor " + EnqueueSuite.class.getName())
			.withMessageEndingWith(" returned null for 1 request(s); it must return one result for each");
	}

	@Test
	void interceptorsNestInTheirOrder() {
		List<String> order = Collections.synchronizedList(new ArrayList<>());
		JobEngine engine = build(builder().enqueueInterceptors(List.of((requests, next) -> {
			order.add("outer in");
			List<Enqueued> enqueued = next.proceed(requests);
			order.add("outer out");
			return enqueued;
		}, (requests, next) -> {
			order.add("inner in, " + jobs().size());
			List<Enqueued> enqueued = next.proceed(requests);
			order.add("inner out, " + jobs().size());
			return enqueued;
		})));
		engine.client().enqueue("a");
		assertThat(order).containsExactly("outer in", "inner in, 0", "inner out, 1", "outer out");
	}

	@Test
	void interceptorMayChangeTheRequest() {
		JobEngine engine = build(builder().handler(this.handler.named("a"))
			.enqueueInterceptors(List.of((requests,
					next) -> next.proceed(requests.stream()
						.map((request) -> request.payload("changed").header("by", "interceptor"))
						.toList()))));
		engine.client().enqueue("a", "given");
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly("changed");
		assertThat(this.handler.jobs().get(0).headers()).containsEntry("by", "interceptor");
	}

	@Test
	void interceptorMayStopARequest() {
		JobEngine engine = build(builder().enqueueInterceptors(List.of((requests,
				next) -> requests.stream().map((request) -> Enqueued.of("", Outcome.STOPPED, START)).toList())));
		assertThat(engine.client().enqueue("a").outcome()).isEqualTo(Outcome.STOPPED);
		assertThat(jobs()).isEmpty();
	}

	@Test
	void interceptorMayStopOneOfMany() {
		JobEngine engine = build(builder().enqueueInterceptors(List.of((requests, next) -> {
			List<Enqueued> stored = next.proceed(List.of(requests.get(0), requests.get(2)));
			return List.of(stored.get(0), Enqueued.of("", Outcome.STOPPED, START), stored.get(1));
		})));
		assertThat(engine.client().enqueueAll(requests(3))).extracting(Enqueued::outcome)
			.containsExactly(Outcome.NEW, Outcome.STOPPED, Outcome.NEW);
		assertThat(jobs()).extracting((job) -> new String(job.payloadPreview(), StandardCharsets.UTF_8))
			.containsExactlyInAnyOrder("0", "2");
	}

	@Test
	void whatAnInterceptorThrowsReachesTheCallerAndNothingIsStored() {
		JobClient client = build(builder().enqueueInterceptors(List.of((requests, next) -> {
			throw new IllegalStateException("not today");
		}))).client();
		assertThatIllegalStateException().isThrownBy(() -> client.enqueue("a")).withMessage("not today");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void interceptorThatReturnsAWrongCountIsReported() {
		JobClient client = build(builder().enqueueInterceptors(List.of((requests, next) -> List.of()))).client();
		assertThatIllegalStateException().isThrownBy(() -> client.enqueueAll(requests(2)))
			.withMessageContaining("returned 0 result(s) for 2 request(s)");
	}

	@Test
	void interceptorSeesABatchAsOne() {
		List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
		JobEngine engine = build(builder().enqueueInterceptors(List.of((requests, next) -> {
			sizes.add(requests.size());
			return next.proceed(requests);
		})));
		engine.client().enqueueAll(requests(1200));
		assertThat(sizes).containsExactly(1200);
	}

	// --- help

	private JobEngine engine() {
		return engine(HandlerOptions.defaults());
	}

	private JobEngine engine(HandlerOptions options) {
		return build(builder().handler(this.handler.named("a").with(options)));
	}

	private JobEngine elsewhere() {
		return build(new JobEngineBuilder(anotherStore()).clock(this.clock).handler(this.handler.named("a")));
	}

	private JobEngine bounded(int maxWaiting) {
		return build(builder().handler(this.handler.named("a"))
			.rule("a", EnqueueOptions.of((set) -> set.maxWaiting(maxWaiting))));
	}

	private static RetryPolicy twice() {
		return RetryPolicy.of((retry) -> retry.maxAttempts(2).backoff(Backoff.fixed(Duration.ofSeconds(5))));
	}

	private static Backoff now() {
		return Backoff.fixed(Duration.ZERO);
	}

	private static List<JobRequest> requests(int count) {
		return IntStream.range(0, count).mapToObj((i) -> JobRequest.named("a").payload(i)).toList();
	}

	private static JobResult done(List<Object> seen, Object payload) {
		seen.add(payload);
		return JobResult.done();
	}

	/**
	 * Start a producer and wait until it waits.
	 */
	private static Thread blocked(FutureTask<?> producer) {
		Thread thread = new Thread(producer, "producer");
		thread.setDaemon(true);
		thread.start();
		await("the producer waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
		return thread;
	}

	/**
	 * Has a payload type whose simple name is that of another.
	 */
	private static final class First {

		record Payload(int number) {

		}

	}

	/**
	 * Has a payload type whose simple name is that of another.
	 */
	private static final class Second {

		record Payload(String text) {

		}

	}

	@JobType("letter")
	private sealed interface Letter {

	}

	private record Welcome(String to) implements Letter {

	}

	@JobType(value = "named", maxWaiting = 2)
	private record Named(int number) {

	}

}
