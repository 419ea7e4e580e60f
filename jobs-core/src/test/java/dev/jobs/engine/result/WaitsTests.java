package dev.jobs.engine.result;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.Trail;
import dev.jobs.engine.context.EventBus;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.Tallies;
import dev.jobs.engine.context.TestPoints;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.view.JobInspector;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Waits}.
 */
class WaitsTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private final AtomicInteger passes = new AtomicInteger();

	private long nanos;

	private final StoreClock clock = new StoreClock(() -> START, false, () -> this.nanos);

	private final JobStore store = counting(JobStore.class, new InMemoryJobStore());

	private final Waits waits = new Waits(new WorkerContext("one", this.store,
			new HandlerRegistry(List.of(), new JacksonPayloadSerializer(), new EnqueueRules(Map.of())),
			EngineSettings.defaults(), this.clock, new EventBus(List.of()), new Tallies(),
			new Refusals(this.clock::nanos), new TestPoints(), () -> false, WorkerContext.RANDOM));

	/**
	 * Count the passes, each of which begins with the number of jobs that wait.
	 */
	private <T> T counting(Class<T> type, T target) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				if (method.getName().equals("count")) {
					this.passes.incrementAndGet();
				}
				Object returned = method.invoke(target, arguments);
				return (returned instanceof JobInspector inspector) ? counting(JobInspector.class, inspector)
						: returned;
			}));
	}

	@Test
	void jobsThatAreParkedAllTheTimeDoNotHoldUpThePassOverAll() {
		for (int second = 0; second < 120; second++) {
			this.waits.parked(Trail.Wait.of("signal:shipped/" + second, START));
			this.waits.poll();
			this.nanos += Duration.ofSeconds(1).toNanos();
		}
		assertThat(this.passes.get()).isBetween(3, 6);
	}

}
