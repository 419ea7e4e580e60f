package dev.jobs.autoconfigure.actuate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.JobStoreException;
import dev.jobs.actuate.endpoint.JobValues;
import dev.jobs.actuate.endpoint.JobsEndpoint;
import dev.jobs.audit.Audit;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.health.HealthLimits;
import dev.jobs.health.JobsHealth;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.contract.engine.FaultyStore;
import dev.jobs.store.contract.engine.FaultyStore.Verb;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.SettableClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobsHealth}, and for what else is said while the store is ill.
 */
class JobsHealthTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:30Z");

	private final SettableClock clock = SettableClock.at(START);

	private final FaultyStore store = new FaultyStore(new InMemoryJobStore());

	private final JobEngine engine = new JobEngineBuilder(this.store).clock(this.clock)
		.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> null))
		.recurringJob(RecurringJob.of("minutely", Schedule.parse("0 * * * * *", ZoneOffset.UTC), "work")
			.withMisfire(Misfire.parse("run-once")))
		.build();

	private final AtomicInteger reads = new AtomicInteger();

	private final CountDownLatch open = new CountDownLatch(1);

	private volatile boolean down;

	private volatile boolean hanging;

	private volatile List<StoreFault> faults = List.of();

	private final JobInspector inspector = (JobInspector) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { JobInspector.class }, faulty(this.store.inspector()));

	private final CompositeHealthContributor health = health();

	private CompositeHealthContributor health() {
		return JobsHealth.of(this.engine, this.inspector, new HealthLimits(Duration.ofMillis(300),
				Duration.ofMinutes(5), Duration.ofMinutes(3), Duration.ofMinutes(10)), Duration.ofSeconds(1),
				Duration.ofSeconds(30));
	}

	@AfterEach
	void stop() {
		this.open.countDown();
		this.engine.stopNow();
	}

	@Test
	void allIsWellWithAnEngineThatHasNothingToDo() {
		this.engine.runUntilIdle();
		assertThat(this.health.stream())
			.allSatisfy((part) -> assertThat(part(part.name()).getStatus()).as(part.name()).isEqualTo(Status.UP));
	}

	@Test
	void storeOutOfReachIsDownAndRecoversAlone() {
		this.down = true;
		Health store = part("store");
		assertThat(store.getStatus()).isEqualTo(Status.DOWN);
		assertThat(store.getDetails().get("error")).asString().contains("no connection");
		assertThat(part("backlog").getStatus()).isEqualTo(Status.UNKNOWN);
		this.down = false;
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(part("store").getStatus()).isEqualTo(Status.UP);
		assertThat(part("backlog").getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void endThatTheStoreRefusesIsNamedAndNothingIsDown() {
		String id = this.engine.client().enqueue("work").id();
		this.store.refuse(Verb.SETTLE, id::equals, false);
		this.engine.runUntilIdle();
		assertThat(part("loops").getStatus()).isEqualTo(Status.UP);
		assertThat(part("loops").getDetails().get("refused")).asString()
			.contains("The store refuses the end of job 'work' " + id)
			.contains("does not like");
		assertThat(this.engine.operations().store().faults()).hasSize(1);
	}

	@Test
	void faultsOfTheStoreAreNamedAndDownIfWorkStopsForThem() {
		this.faults = List.of(new StoreFault(false, "look here"));
		assertThat(part("store").getStatus()).isEqualTo(Status.UP);
		assertThat(part("store").getDetails()).containsEntry("faults", List.of("look here"));
		this.faults = List.of(new StoreFault(false, "look here"), new StoreFault(true, "no room"));
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(part("store").getStatus()).isEqualTo(Status.DOWN);
		assertThat(part("store").getDetails()).containsEntry("faults", List.of("look here", "no room"));
		assertThat(part("backlog").getStatus()).isEqualTo(Status.UP);
		this.faults = List.of();
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(part("store").getDetails()).doesNotContainKey("faults");
	}

	@Test
	void storeThatHangsHoldsNobodyUp() {
		this.hanging = true;
		CompositeHealthContributor impatient = JobsHealth.of(this.engine, this.inspector,
				new HealthLimits(null, null, null, null), Duration.ofSeconds(1), Duration.ofMillis(50));
		HealthIndicator indicator = (HealthIndicator) impatient.getContributor("store");
		assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
		this.clock.advance(Duration.ofSeconds(5));
		assertThat(indicator.health().getDetails().get("error")).asString().contains("did not answer within 50 ms");
		assertThat(this.reads).hasValue(1);
	}

	@Test
	void partsReadTheStoreOnceInAWhile() {
		for (int i = 0; i < 5; i++) {
			this.health.stream().forEach((part) -> part(part.name()));
		}
		assertThat(this.reads).hasValue(4);
		this.clock.advance(Duration.ofSeconds(2));
		part("store");
		assertThat(this.reads).hasValue(8);
	}

	@Test
	void loopThatDoesNotSucceedInTimeIsReportedUntilItDoesAgain() {
		this.engine.start();
		this.store.down(true);
		this.engine.wake();
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			assertThat(part("loops").getStatus()).isEqualTo(Status.DOWN);
			assertThat(part("loops").getDetails().get("late")).asString().contains("beat");
		});
		this.store.down(false);
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(part("loops").getStatus()).isEqualTo(Status.UP));
	}

	@Test
	void backlogOlderThanItsLimitIsDownUnlessItsQueueIsPaused() {
		this.engine.runUntilIdle();
		this.engine.client().enqueue("other", Map.of());
		this.clock.advance(Duration.ofMinutes(4));
		assertThat(part("backlog").getStatus()).isEqualTo(Status.UP);
		this.clock.advance(Duration.ofMinutes(2));
		Health backlog = part("backlog");
		assertThat(backlog.getStatus()).isEqualTo(Status.DOWN);
		assertThat(backlog.getDetails().get("waitingSince")).isEqualTo(Map.of("other", START));
		this.engine.operations().queue("other").pause();
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(part("backlog").getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void unservedQueueIsReportedAndDownAfterItsLimit() {
		this.engine.client().enqueue("orphans", Map.of());
		Health served = part("served");
		assertThat(served.getStatus()).isEqualTo(Status.UP);
		assertThat(served.getDetails().get("noWorkerFor")).asString().contains("orphans");
		this.clock.advance(Duration.ofMinutes(4));
		assertThat(part("served").getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void manyQueuesAreNotAllNamed() {
		for (int i = 10; i < 35; i++) {
			this.engine.client().enqueue("orphans-" + i, Map.of());
		}
		this.clock.advance(Duration.ofMinutes(4));
		Map<String, Object> served = part("served").getDetails();
		assertThat((Map<?, ?>) served.get("waitingSince")).hasSize(20);
		assertThat((List<?>) served.get("noWorkerFor")).hasSize(20);
		assertThat(served).containsEntry("waitingSinceOthers", 5).containsEntry("noWorkerForOthers", 5);
	}

	@Test
	void scheduleWhoseTicksAreNotFiredIsDownUntilTheyAre() {
		this.engine.runUntilIdle();
		this.clock.advance(Duration.ofMinutes(10));
		assertThat(part("schedules").getStatus()).isEqualTo(Status.UP);
		this.clock.advance(Duration.ofMinutes(1));
		Health schedules = part("schedules");
		assertThat(schedules.getStatus()).isEqualTo(Status.DOWN);
		assertThat(schedules.getDetails().get("overdueSince")).asString().contains("2026-01-01T00:01:00Z");
		this.engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(part("schedules").getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void overriddenScheduleIsOverdueByItsOverrideAndNotByTheCode() {
		this.engine.runUntilIdle();
		RecurringJob recurring = this.engine.recurringJobs().get(0);
		this.engine.operations()
			.schedule(recurring.name())
			.put((schedule) -> schedule.cron("0 0 12 * * *").job(recurring.jobName(), null));
		this.clock.advance(Duration.ofHours(2));
		assertThat(part("schedules").getStatus()).isEqualTo(Status.UP);
		this.clock.set(START.plus(Duration.ofHours(12).plusMinutes(11)));
		Health schedules = part("schedules");
		assertThat(schedules.getStatus()).isEqualTo(Status.DOWN);
		assertThat(schedules.getDetails().get("overdueSince")).asString().contains("2026-01-01T12:00:00Z");
	}

	@Test
	void workerWhoseLastBeatIsStillToComeIsNamedUntilItBeats() {
		this.engine.runUntilIdle();
		this.clock.set(START.minus(Duration.ofHours(1)));
		Health store = part("store");
		assertThat(store.getStatus()).isEqualTo(Status.DOWN);
		assertThat(store.getDetails().get("beatsAhead")).asString().contains(START.toString());
		this.engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(part("store").getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void scheduleThatTickedForAFutureTimeIsDownUntilThen() {
		this.engine.runUntilIdle();
		this.clock.advance(Duration.ofHours(1));
		this.engine.runUntilIdle();
		this.clock.set(START.plusSeconds(40));
		Health schedules = part("schedules");
		assertThat(schedules.getStatus()).isEqualTo(Status.DOWN);
		assertThat(schedules.getDetails().get("firedAheadUntil"))
			.isEqualTo(Map.of("minutely", Instant.parse("2026-01-01T01:00:00Z")));
		this.clock.advance(Duration.ofMinutes(52));
		assertThat(part("schedules").getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void missedTickIsOverdueOnlyAfterThisProcessHadTimeForIt() {
		this.engine.runUntilIdle();
		this.clock.advance(Duration.ofHours(3));
		HealthIndicator restarted = (HealthIndicator) health().getContributor("schedules");
		assertThat(restarted.health().getStatus()).isEqualTo(Status.UP);
		this.clock.advance(Duration.ofMinutes(11));
		assertThat(restarted.health().getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void pausedScheduleIsNotOverdue() {
		this.engine.runUntilIdle();
		this.engine.operations().schedule(this.engine.recurringJobs().get(0).name()).pause();
		this.clock.advance(Duration.ofMinutes(20));
		assertThat(part("schedules").getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void endpointReportsAStoreOutOfReach() {
		this.down = true;
		JobOperations operations = (JobOperations) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobOperations.class }, faulty(this.engine.operations()));
		JobsEndpoint endpoint = new JobsEndpoint(this.engine, operations, this.clock,
				new JobValues(List.of(), Show.NEVER, Set.of()), (pool) -> Duration.ofSeconds(30),
				new Audit(this.clock, (event) -> {
				}, (note) -> {
				}));
		assertThat(endpoint.overview().getStatus()).isEqualTo(200);
		assertThat(endpoint.overview().getBody()).asString().contains("\"reachable\":false").contains("no connection");
		assertThat(endpoint
			.part(SecurityContext.NONE, "queues", null, null, null, null, null, null, null, null, null, null, null,
					null, null, null)
			.getStatus()).isEqualTo(503);
		assertThat(endpoint.one(SecurityContext.NONE, "job", "x").getBody()).asString().contains("no connection");
	}

	private Health part(String name) {
		return ((HealthIndicator) this.health.getContributor(name)).health();
	}

	private InvocationHandler faulty(Object target) {
		return (proxy, method, arguments) -> {
			if (!method.getName().equals("store")) {
				this.reads.incrementAndGet();
				if (this.hanging) {
					this.open.await();
				}
				if (this.down) {
					throw JobStoreException.refused("no connection", null, true);
				}
			}
			if (method.getName().equals("faults")) {
				return this.faults;
			}
			try {
				return method.invoke(target, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		};
	}

}
