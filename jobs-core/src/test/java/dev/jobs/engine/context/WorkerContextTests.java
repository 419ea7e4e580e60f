package dev.jobs.engine.context;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.support.Refusals;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WorkerContext}.
 */
class WorkerContextTests {

	private final WorkerContext context = new WorkerContext("one", new InMemoryJobStore(),
			new HandlerRegistry(List.of(), new JacksonPayloadSerializer(), new EnqueueRules(Map.of())),
			EngineSettings.defaults(), new StoreClock(StoreClock.SYSTEM, true), new EventBus(List.of()), new Tallies(),
			new Refusals(System::nanoTime), new TestPoints(), () -> false, new SplittableRandom(42));

	@Test
	void variedTimeStaysNearTheTime() {
		for (int i = 0; i < 1000; i++) {
			assertThat(this.context.vary(Duration.ofSeconds(10))).isBetween(Duration.ofSeconds(8),
					Duration.ofSeconds(12));
		}
	}

}
