package dev.jobs.dashboard;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Sampler}.
 */
class SamplerTests {

	private final AtomicInteger looks = new AtomicInteger();

	private final AtomicLong nanos = new AtomicLong();

	private Supplier<String> store = () -> "{}";

	private final Sampler sampler = new Sampler(() -> {
		this.looks.incrementAndGet();
		return this.store.get();
	}, Duration.ofMillis(500), 3, this.nanos::get);

	@AfterEach
	void stop() {
		this.sampler.stop();
	}

	private static IllegalStateException fault() {
		return new IllegalStateException("down");
	}

	@Test
	void pagesShareALookForHalfAPeriod() {
		for (int i = 0; i < 100; i++) {
			assertThat(this.sampler.latest()).isEqualTo("{}");
		}
		assertThat(this.looks).hasValue(1);
		this.nanos.addAndGet(Duration.ofMillis(250).toNanos());
		this.sampler.latest();
		assertThat(this.looks).hasValue(2);
	}

	@Test
	void failedLookIsNotRepeatedAtOnce() {
		this.store = () -> {
			throw fault();
		};
		for (int i = 0; i < 100; i++) {
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this.sampler::latest);
		}
		assertThat(this.looks).hasValue(1);
		this.store = () -> "{}";
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		assertThat(this.sampler.latest()).isEqualTo("{}");
	}

	@Test
	void streamsReportTroubleAndItsEnd() {
		Listener listener = new Listener();
		this.store = () -> {
			throw fault();
		};
		assertThat(this.sampler.open("ada", listener)).isNotNull();
		await().atMost(Duration.ofSeconds(30)).until(() -> listener.heard("event: trouble"));
		this.store = () -> "{}";
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		await().atMost(Duration.ofSeconds(30)).until(() -> listener.heard("event: overview\ndata: {}"));
	}

	@Test
	void streamsAreBoundedAndEndWithTheApplicationAndAfterAWhile() {
		List<Listener> listeners = List.of(new Listener(), new Listener(), new Listener());
		listeners.forEach((listener) -> assertThat(this.sampler.open("ada", listener)).isNotNull());
		assertThat(this.sampler.open("ada", new Listener())).isNull();
		this.nanos.addAndGet(Duration.ofMinutes(16).toNanos());
		await().atMost(Duration.ofSeconds(30)).until(() -> this.sampler.streams() == 0);
		assertThat(listeners).allMatch((listener) -> listener.heard("end"));
		Listener late = new Listener();
		assertThat(this.sampler.open("ada", late)).isNotNull();
		this.sampler.stop();
		assertThat(late.heard("end")).isTrue();
		assertThat(this.sampler.open("ada", new Listener())).isNull();
	}

	@Test
	void userWithTheMostStreamsLosesTheOldestToOneWhoHasFewer() {
		List<Listener> adas = List.of(new Listener(), new Listener(), new Listener());
		adas.forEach((listener) -> {
			assertThat(this.sampler.open("ada", listener)).isNotNull();
			this.nanos.incrementAndGet();
		});
		assertThat(this.sampler.open("ada", new Listener())).isNull();
		Listener bob = new Listener();
		assertThat(this.sampler.open("bob", bob)).isNotNull();
		assertThat(adas).extracting((listener) -> listener.heard("end")).containsExactly(true, false, false);
		assertThat(this.sampler.open("bob", new Listener())).isNull();
		assertThat(this.sampler.open("ada", new Listener())).isNull();
		Listener eve = new Listener();
		assertThat(this.sampler.open("eve", eve)).isNotNull();
		assertThat(adas).extracting((listener) -> listener.heard("end")).containsExactly(true, true, false);
		assertThat(this.sampler.open("mal", new Listener())).isNull();
		assertThat(List.of(bob, eve)).noneMatch((listener) -> listener.heard("end"));
		assertThat(this.sampler.streams()).isEqualTo(3);
	}

	@Test
	void slowStoreHoldsUpNeitherPagesThatComeAndGoNorTheEnd() throws Exception {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch answers = new CountDownLatch(1);
		this.store = () -> {
			asked.countDown();
			awaitOpen(answers);
			return "{}";
		};
		// A thread for each, since a pool of one would be held up itself.
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture<String> look = CompletableFuture.supplyAsync(this.sampler::latest, threads);
		assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
		Listener listener = new Listener();
		try {
			CompletableFuture.runAsync(() -> {
				Sampler.Stream first = this.sampler.open("ada", new Listener());
				assertThat(first).isNotNull();
				first.close();
				assertThat(this.sampler.open("ada", listener)).isNotNull();
				this.sampler.stop();
			}, threads).get(30, TimeUnit.SECONDS);
			assertThat(look).isNotDone();
		}
		finally {
			answers.countDown();
		}
		assertThat(listener.heard("end")).isTrue();
		assertThat(look.get(30, TimeUnit.SECONDS)).isEqualTo("{}");
	}

	private static void awaitOpen(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Listener implements Sampler.Listener {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		@Override
		public void send(String event) {
			this.heard.add(event);
		}

		@Override
		public void ended() {
			this.heard.add("end");
		}

		boolean heard(String text) {
			return this.heard.stream().anyMatch((event) -> event.startsWith(text));
		}

	}

}
