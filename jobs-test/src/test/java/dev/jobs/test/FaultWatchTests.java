package dev.jobs.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.jobs.HandlerOptions;
import dev.jobs.JobStoreException;
import dev.jobs.RetryPolicy;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.test.FaultWatch.Fault;
import dev.jobs.test.FaultWatch.Watched;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FaultWatch} and {@link FaultAppender}, as they are set up here.
 */
class FaultWatchTests {

	private static final List<ExpectsFaults> NOTHING = List.of();

	private static final List<ExpectsFaults> PLANTED = List.of(Expecting.class.getAnnotation(ExpectsFaults.class));

	private final JobStore store = new InMemoryJobStore();

	@Test
	void brokenLoopIsNoticed() {
		assertThat(faultsOfAPrunerThatThrows(new NullPointerException("planted"), NOTHING)).singleElement()
			.satisfies((fault) -> assertThat(fault.text()).contains("Loop 'prune' failed",
					"java.lang.NullPointerException: planted"))
			.satisfies((fault) -> assertThat(fault.of()).isEqualTo("this"))
			.satisfies((fault) -> assertThat(fault.thrown()).isInstanceOf(NullPointerException.class));
	}

	@Test
	void expectedFaultIsLeftOutAndNoOther() {
		assertThat(faultsOfAPrunerThatThrows(new NullPointerException("planted"), PLANTED)).isEmpty();
		assertThat(faultsOfAPrunerThatThrows(new NullPointerException("other"), PLANTED)).hasSize(1);
	}

	@Test
	void storeOutOfReachIsNoFault() {
		assertThat(faultsOfAPrunerThatThrows(new JobStoreException("down", null, true), NOTHING)).isEmpty();
	}

	@Test
	void failureOfAJobIsNoFault() {
		Watched watched = FaultWatch.begin("this", NOTHING);
		JobEngine engine = new JobEngineBuilder(this.store)
			.handler(HandlerDefinition.of("work", Object.class, (payload, context) -> {
				throw new NullPointerException("of the handler");
			}).with(HandlerOptions.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(1))))))
			.build();
		engine.client().enqueue("work");
		engine.runUntilIdle();
		engine.closeClient();
		assertThat(FaultWatch.end(watched)).isEmpty();
	}

	@Test
	void brokenListenerIsNoticed() {
		Watched watched = FaultWatch.begin("this", NOTHING);
		JobEngine engine = new JobEngineBuilder(this.store).listeners(List.of((event) -> {
			throw new IllegalStateException("planted");
		})).build();
		engine.client().enqueue("work");
		engine.closeClient();
		assertThat(FaultWatch.end(watched)).singleElement()
			.satisfies((fault) -> assertThat(fault.text()).contains("Listener", "IllegalStateException: planted"));
	}

	@Test
	void exceptionOfJavaInTheTextIsNoticed() {
		Watched watched = FaultWatch.begin("this", NOTHING);
		LoggerFactory.getLogger("dev.jobs.any").warn("It failed: {}", new NullPointerException().toString());
		LoggerFactory.getLogger("dev.jobs.any").warn("It is silent: java.util.concurrent.TimeoutException");
		assertThat(FaultWatch.end(watched)).singleElement()
			.satisfies((fault) -> assertThat(fault.text()).contains("It failed"));
	}

	@Test
	void faultIsOfTheTestWhoseThreadItCameFrom() throws Exception {
		Watched first = FaultWatch.begin("first", NOTHING);
		Thread ofFirst = new Thread(FaultWatchTests::log);
		Watched second = FaultWatch.begin("second", NOTHING);
		ofFirst.start();
		ofFirst.join();
		assertThat(FaultWatch.end(second)).isEmpty();
		assertThat(FaultWatch.end(first)).extracting(Fault::of).containsExactly("first");
	}

	@Test
	void faultThatComesAfterItsTestFailsTheNext() throws Exception {
		CountDownLatch ended = new CountDownLatch(1);
		Watched first = FaultWatch.begin("first", NOTHING);
		Thread ofFirst = new Thread(() -> {
			await(ended);
			log();
		}, "jobs-late");
		ofFirst.start();
		assertThat(FaultWatch.end(first)).isEmpty();
		Watched second = FaultWatch.begin("second", PLANTED);
		ended.countDown();
		ofFirst.join();
		assertThat(FaultWatch.end(second)).extracting(Fault::of).containsExactly("first");
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void log() {
		LoggerFactory.getLogger("dev.jobs.any").warn("It failed", new NullPointerException("planted"));
	}

	private List<Fault> faultsOfAPrunerThatThrows(RuntimeException thrown, List<ExpectsFaults> expectations) {
		Watched watched = FaultWatch.begin("this", expectations);
		JobEngine engine = new JobEngineBuilder(pruningThrows(thrown)).build();
		engine.start();
		Awaitility.await()
			.until(() -> engine.status()
				.loops()
				.stream()
				.anyMatch((loop) -> loop.name().equals("prune") && loop.faults() > 1));
		engine.stopNow();
		engine.closeClient();
		return FaultWatch.end(watched);
	}

	private JobStore pruningThrows(RuntimeException thrown) {
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("prune")) {
						throw thrown;
					}
					try {
						return method.invoke(this.store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@ExpectsFaults("planted")
	private static final class Expecting {

	}

}
