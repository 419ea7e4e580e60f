package dev.jobs.json;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.BulkStatus;
import dev.jobs.DeadReason;
import dev.jobs.Deaths;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobCount;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.Note;
import dev.jobs.PageRequest;
import dev.jobs.LaneStatus;
import dev.jobs.PoolStatus;
import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleRequest;
import dev.jobs.ScheduleStatus;
import dev.jobs.SavedStep;
import dev.jobs.StoreStatus;
import dev.jobs.Trail;
import dev.jobs.WaitReason;
import dev.jobs.WantedWorkers;
import dev.jobs.WorkerStatus;
import dev.jobs.cron.TickRun;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.SavedView;
import dev.jobs.store.view.GateView;
import dev.jobs.store.view.LaneView;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.StoreView;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WaitReasonView;
import dev.jobs.store.view.WantedWorkersView;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerView;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.test.json.JsonAssert;
import org.springframework.test.json.JsonCompareMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ValuesAsJson}.
 */
class ValuesAsJsonTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final Job WAITING = Job.builder("7", "send-email")
		.payload("{\"secret\":1}".getBytes(StandardCharsets.UTF_8))
		.headers(Map.of("trace", "secret", Job.TAGS_HEADER, "a", Job.LANE_HEADER, "ada"))
		.createdAt(NOW)
		.dueAt(NOW)
		.trail(TrailRules.failed(Trail.EMPTY,
				Trail.Attempt.of(1, NOW, "broken").withStackTrace("secret").withLog("secret")))
		.build();

	private static final String WAITING_JSON = """
			{"id":"7","name":"send-email","state":"READY","attempt":2,"tags":["a"],"lane":"ada","urgency":"NORMAL",
			 "createdAt":"2030-01-01T00:00:00Z","dueAt":"2030-01-01T00:00:00Z","run":null,
			 "trail":{"failures":1,"abandonments":0,"crashes":0,"suspect":false,"postponements":0,"end":null,
			  "attempts":[{"number":1,"endedAt":"2030-01-01T00:00:00Z","error":"broken","startedAt":null,
			   "worker":null}]}}""";

	private static final String DEAD_JSON = """
			{"id":"8","name":"draw","state":"DEAD","attempt":0,"tags":[],"urgency":"NORMAL",
			 "createdAt":"2030-01-01T00:00:00Z","dueAt":"2030-01-01T00:00:00Z","run":null,
			 "trail":{"failures":0,"abandonments":0,"crashes":0,"suspect":false,"postponements":0,"attempts":[],
			  "end":{"reason":"UNREADABLE","message":"No JSON","at":"2030-01-01T00:00:00Z"}}}""";

	private static final Job DEAD = Job.builder("8", "draw")
		.payload("secret".getBytes(StandardCharsets.UTF_8))
		.state(JobState.DEAD)
		.createdAt(NOW)
		.dueAt(NOW)
		.trail(TrailBuilder.ended(Trail.EMPTY, Trail.End.of(DeadReason.UNREADABLE, "No JSON", NOW)))
		.build();

	private final JsonMapper mapper = JsonMapper.builder().addModule(new ValuesAsJson()).build();

	@ParameterizedTest
	@MethodSource("values")
	void valueIsWrittenWithItsPropertiesAndNoSecret(Class<?> type, Object value, String json) throws IOException {
		assertThat(value).isInstanceOf(type);
		JsonAssert.comparator(JsonCompareMode.STRICT).assertIsMatch(json, this.mapper.writeValueAsString(value));
	}

	private static Deaths deaths() {
		return Deaths.of(PageRequest.newestFirst(1), (request) -> JobPage.of(List.of(DEAD), null),
				UnaryOperator.identity());
	}

	@Test
	void everyValueThatTheClientAndOperationsReturnIsWritten() {
		Predicate<Class<?>> isNoun = (type) -> type.getPackage() == JobOperations.class.getPackage();
		Set<String> returned = Stream
			.concat(Stream.of(JobClient.class, JobOperations.class),
					Arrays.stream(JobOperations.class.getMethods()).<Class<?>>map(Method::getReturnType).filter(isNoun))
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.map(ValuesAsJsonTests::returned)
			.filter((type) -> type.getPackageName().startsWith("dev.jobs"))
			.filter(isNoun.negate())
			.filter((type) -> !type.isEnum())
			.filter((type) -> type != ScheduleStatus.class) // see PayloadTests
			.filter((type) -> !Set.of(PoolStatus.class, BulkStatus.class).contains(type)) // see
																							// JobsEndpointTests
			.filter((type) -> type != ScheduleRequest.class) // has a payload, which
																// nobody shows
			.map(Class::getName)
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(values().map((value) -> ((Class<?>) value[0]).getName())).containsAll(returned);
	}

	@Test
	void eventIsWrittenWithoutItsException() throws IOException {
		Object event = new Events.EnqueueFailed(DEAD, "down", new IOException("secret"), true, NOW);
		JsonAssert.comparator(JsonCompareMode.STRICT)
			.assertIsMatch(
					"{\"job\":" + DEAD_JSON + ",\"error\":\"down\",\"inDoubt\":true,\"at\":\"2030-01-01T00:00:00Z\"}",
					this.mapper.writeValueAsString(event));
	}

	private static Class<?> returned(Method method) {
		Type type = method.getGenericReturnType();
		Type value = (type instanceof ParameterizedType parameterized) ? parameterized.getActualTypeArguments()[0]
				: type;
		// What a handler returned is of its own type.
		return (value instanceof Class<?> known) ? known : Object.class;
	}

	static Stream<Object[]> values() {
		Job running = DEAD.toBuilder()
			.state(JobState.RUNNING)
			.trail(Trail.EMPTY)
			.run(Job.Run.of("w1", 99, NOW).withProgress(Job.Progress.of("half", 1, 2, NOW).withLog("secret")))
			.build();
		long[] cells = new long[Tally.CELLS];
		cells[0] = 3;
		cells[4] = 3;
		return Stream.of(value(Enqueued.class, Enqueued.of("1", Enqueued.Outcome.NEW, NOW), """
				{"id":"1","outcome":"NEW","dueAt":"2030-01-01T00:00:00Z"}"""), value(Job.class, WAITING, WAITING_JSON),
				value(SavedStep.class, new SavedView("charge", "secret".getBytes(StandardCharsets.UTF_8), NOW), """
						{"name":"charge","savedAt":"2030-01-01T00:00:00Z"}"""),
				value(Job.class, ListedJob.listed(WAITING), WAITING_JSON), value(Job.class, DEAD, DEAD_JSON),
				value(Job.class, running, """
						{"id":"8","name":"draw","state":"RUNNING","attempt":1,"tags":[],"urgency":"NORMAL",
						 "createdAt":"2030-01-01T00:00:00Z","dueAt":"2030-01-01T00:00:00Z",
						 "trail":{"failures":0,"abandonments":0,"crashes":0,"suspect":false,"postponements":0,
						  "attempts":[],"end":null},
						 "run":{"worker":"w1","startedAt":"2030-01-01T00:00:00Z","cancelRequested":false,
						  "progress":{"checkIn":"half","done":1,"total":2,"at":"2030-01-01T00:00:00Z"}}}"""),
				value(Job.class,
						DEAD.toBuilder()
							.state(JobState.WAITING)
							.trail(TrailRules.parked(Trail.EMPTY, Trail.Wait.of("signal:paid/7", NOW)))
							.build(),
						"""
								{"id":"8","name":"draw","state":"WAITING","attempt":1,"tags":[],"urgency":"NORMAL",
								 "createdAt":"2030-01-01T00:00:00Z","dueAt":"2030-01-01T00:00:00Z","run":null,
								 "trail":{"failures":0,"abandonments":0,"crashes":0,"suspect":false,"postponements":1,
								  "attempts":[],"end":null,
								  "waitsFor":{"thing":"signal:paid/7","since":"2030-01-01T00:00:00Z"}}}"""),
				value(JobPage.class, JobPage.of(List.of(WAITING), "next"),
						"{\"jobs\":[" + WAITING_JSON + "],\"next\":\"next\"}"),
				value(JobCount.class, JobCount.atLeast(5), "{\"number\":5,\"exact\":false,\"estimate\":5}"),
				value(Deaths.class, deaths(),
						"""
								{"searched":1,"complete":true,"causes":[{"id":"%s","error":"No JSON","frame":null,"count":1,
								 "messages":1,"queues":{"draw":1},"latest":%s}]}"""
							.formatted(deaths().causes().get(0).id(), DEAD_JSON)),
				value(QueueStatus.class, QueueView.of("draw", true),
						"""
								{"name":"draw","ready":0,"scheduled":0,"retrying":0,"parked":0,"running":0,"dead":0,
								 "history":0,"oldestReady":null,"settings":{"version":0,"paused":null,"limit":null,"weight":null,
								 "attempts":null,"rate":null,"rateOfLanes":null},"paused":false,
								 "limit":-1,"served":true,"atLeast":[]}"""),
				value(LaneStatus.class,
						new LaneView("tenant:42", JobCount.exactly(2), JobCount.exactly(0), NOW).blockedBy("8",
								new GateView(NOW, NOW)),
						"""
								{"name":"tenant:42","waiting":{"number":2,"exact":true,"estimate":2},
								 "running":{"number":0,"exact":true,"estimate":0},"oldestWaiting":"2030-01-01T00:00:00Z",
								 "heldBy":"8","heldBackUntil":"2030-01-01T00:00:00Z","nextPermitAt":"2030-01-01T00:00:00Z",
								 "settings":{"paused":null,"limit":null,"weight":null},"limit":0,"paused":false,
								 "full":false}"""),
				value(WorkerStatus.class,
						new WorkerView("w1", new WorkerInfo("host", 1, "2", NOW,
								List.of(new WorkerInfo.Pool("default", 4, 1, List.of("draw"))),
								List.of(new WorkerInfo.Limit("draw", 1, 1, 0)), new WorkerInfo.Jvm("17", "1", 1, 2, 3)),
								NOW, NOW, 1),
						"""
								{"id":"w1","lastBeat":"2030-01-01T00:00:00Z","leaseUntil":"2030-01-01T00:00:00Z",
								 "running":1,"quiet":null,"info":{"host":"host","pid":1,"version":"2",
								  "startedAt":"2030-01-01T00:00:00Z",
								  "pools":[{"name":"default","concurrency":4,"busy":1,"queues":["draw"]}],
								  "jvm":{"java":"17","jobs":"1","heapUsed":1,"heapMax":2,"threads":3}}}"""),
				value(WantedWorkers.class, new WantedWorkersView("default", 2, 21, new TreeMap<>(Map.of("draw", 21))),
						"""
								{"pool":"default","workers":2,"slots":21,"queues":{"draw":21}}"""),
				value(QueueStatistics.class, Tally.of("draw", NOW, cells),
						"""
								{"queue":"draw","start":"2030-01-01T00:00:00Z","enqueued":3,"succeeded":0,"retried":0,"dead":0,
								 "expired":0,"waited":{"total":3,"p50":"PT0.0005S","p95":"PT0.000949999S","p99":"PT0.000989999S"},
								 "ran":{"total":0,"p50":null,"p95":null,"p99":null}}"""),
				value(StoreStatus.class, new StoreView("memory", false, "none", Map.of("ghost", 1L)), """
						{"kind":"memory","durability":"none","repairs":{"ghost":1}}"""),
				value(StoreStatus.Fault.class, new StoreFault(true, "full"), "{\"stopsWork\":true,\"text\":\"full\"}"),
				value(Note.class, Note.of(NOW, "calm"), "{\"at\":\"2030-01-01T00:00:00Z\",\"text\":\"calm\"}"),
				value(WaitReason.class, new WaitReasonView(WaitReason.Kind.NOT_DUE, 0, NOW), """
						{"kind":"NOT_DUE","number":0,"until":"2030-01-01T00:00:00Z","job":null,"expiresAt":null}"""),
				value(ScheduleStatus.Run.class, new TickRun(NOW, NOW, ScheduleStatus.Fate.ENDED, "7", 0, null), """
						{"tick":"2030-01-01T00:00:00Z","firedAt":"2030-01-01T00:00:00Z","fate":"ENDED","jobId":"7",
						 "passedOver":0,"ran":null}"""));
	}

	private static Object[] value(Class<?> type, Object value, String json) {
		return new Object[] { type, value, json };
	}

}
