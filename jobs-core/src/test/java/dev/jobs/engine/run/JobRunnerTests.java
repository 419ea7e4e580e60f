package dev.jobs.engine.run;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.context.EventBus;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.Tallies;
import dev.jobs.engine.context.TestPoints;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Heartbeat;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.result.Waits;
import dev.jobs.engine.run.Run.Stop;
import dev.jobs.engine.run.RunningJobs.Slot;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settle.EndingWriter;
import dev.jobs.engine.settle.Settler;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.view.WorkerInfo;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobRunner}, with runs that are asked to end before they start.
 */
class JobRunnerTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private final InMemoryJobStore store = new InMemoryJobStore();

	private final RunningJobs running = new RunningJobs();

	private final Slot slot = this.running.newSlot();

	private final AtomicInteger runs = new AtomicInteger();

	/** Asked by a run that is about to start, to see whether the lease is safe. */
	private final StoreClock clock = new StoreClock(() -> START, false, this::nanos);

	private final EnqueueRules rules = new EnqueueRules(Map.of());

	private final HandlerRegistry registry = new HandlerRegistry(
			List.of(HandlerDefinition.of("work", Object.class, (payload, context) -> {
				this.runs.incrementAndGet();
				return JobResult.done();
			})), new JacksonPayloadSerializer(), this.rules);

	private final WorkerContext context = new WorkerContext("one", this.store, this.registry, EngineSettings.defaults(),
			this.clock, new EventBus(List.of()), new Tallies(), new Refusals(this.clock::nanos), new TestPoints(),
			() -> false, WorkerContext.RANDOM);

	private final Lease lease = new Lease(this.clock, this.context.settings().lease());

	private final EndingWriter endings = new EndingWriter(this.context, this.lease, new Waits(this.context));

	private final Settler settler = new Settler(this.context, this.lease, this.endings);

	private final Heartbeat heartbeat = new Heartbeat(this.context, this.lease,
			() -> new WorkerInfo("host", 1, "", START, List.of(), List.of()), this.running);

	private final JobRunner runner = new JobRunner(this.context, List.of(), this.settler, this.lease, this.heartbeat,
			new Watchdog(this.context, this.running), this.running,
			new StepTransactions(this.context.store(), null, null));

	private @Nullable Stop reason = Stop.STOPPING;

	private long nanos() {
		Run run = this.slot.run();
		if (run != null && this.reason != null) {
			run.stop(this.reason);
		}
		return 0;
	}

	private Claim claim() {
		new JobEngineBuilder(this.store).clock(this.clock::now).build().client().enqueue(JobRequest.named("work"));
		this.heartbeat.poll();
		Claim claim = this.store.claim(new ClaimRequest("one", List.of(ClaimRequest.Quota.of("work", 1)), 1, START))
			.claims()
			.get(0);
		this.lease.opened(List.of(claim));
		return claim;
	}

	@Test
	void jobThatIsNotHeldAnyMoreIsNotStarted() {
		Claim claim = claim();
		this.lease.ended(claim.job().id(), claim.token());
		this.reason = null;
		assertThat(this.runner.run(claim, this.slot)).isNull();
		this.endings.pollAll();
		assertThat(this.runs).hasValue(0);
		assertThat(this.store.inspector().queues(START)).singleElement()
			.satisfies((queue) -> assertThat(queue.running()).as("left to whoever has it").isEqualTo(1));
	}

	@Test
	void jobsThatAreLostLeaveTheLine() {
		Line line = new Line(this.settler, new SuspectGate(() -> true), new LocalLimits(this.registry));
		this.running.add(line);
		Claim lost = claim();
		Claim held = claim();
		line.offer(List.of(lost, held));
		this.running.lost(Set.of(lost.token()));
		assertThat(line.poll()).isSameAs(held);
		assertThat(line.poll()).isNull();
		assertThat(this.settler.pending()).as("left to whoever has it").isZero();
	}

	@ParameterizedTest
	@CsvSource({ "CANCELLED, 0, 0", "STOPPING, 1, 0", "LEASE_LOST, 0, 1" })
	void jobThatIsAskedToEndBeforeItStartsIsNotStarted(Stop reason, int ready, int running) {
		this.reason = reason;
		this.runner.run(claim(), this.slot);
		this.endings.pollAll();
		assertThat(this.runs).hasValue(0);
		assertThat(this.store.inspector().queues(START).stream().mapToLong((queue) -> queue.ready()).sum())
			.isEqualTo(ready);
		assertThat(this.store.inspector().queues(START).stream().mapToLong((queue) -> queue.running()).sum())
			.isEqualTo(running);
	}

}
