package dev.jobs.autoconfigure;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobState;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.thread.Threading;
import org.springframework.context.SmartLifecycle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobEngineLifecycle}.
 */
@ExtendWith(OutputCaptureExtension.class)
class JobEngineLifecycleTests {

	private final ApplicationContextRunner runner = Contexts.runner().withBean(Received.class).withBean(Worker.class);

	@Test
	void contextStartsAndStopsTheEngineAnyNumberOfTimes() {
		this.runner.run((context) -> {
			JobEngine engine = context.getBean(JobEngine.class);
			JobEngineLifecycle lifecycle = context.getBean(JobEngineLifecycle.class);
			JobClient client = Contexts.client(context);
			Received received = context.getBean(Received.class);
			assertThat(engine.isRunning()).isTrue();
			assertThat(lifecycle.isRunning()).isTrue();
			for (int i = 0; i < 2; i++) {
				context.stop();
				assertThat(engine.isRunning()).isFalse();
				assertThat(lifecycle.isRunning()).isFalse();
				String id = client.enqueue("name-thread").id();
				assertThat(client.find(id)).get().extracting((job) -> job.state()).isEqualTo(JobState.READY);
				context.start();
				assertThat(lifecycle.isRunning()).isTrue();
				assertThat(received.next()).asString().startsWith("jobs-default-");
			}
		});
	}

	@Test
	void engineStoppedDirectlyIsNotSaidToRun() {
		this.runner.run((context) -> {
			context.getBean(JobEngine.class).stopNow();
			assertThat(context.getBean(JobEngineLifecycle.class).isRunning()).isFalse();
		});
	}

	@Test
	void runningJobMayEndWithinTheGrace() {
		InMemoryJobStore store = new InMemoryJobStore();
		this.runner.withBean(JobStore.class, () -> store)
			.withPropertyValues("jobs.shutdown.grace=20s")
			.run((context) -> {
				Worker worker = context.getBean(Worker.class);
				String id = Contexts.client(context).enqueue("wait").id();
				assertThat(worker.started.await(20, TimeUnit.SECONDS)).isTrue();
				JobEngineLifecycle lifecycle = context.getBean(JobEngineLifecycle.class);
				CountDownLatch stopped = new CountDownLatch(1);
				lifecycle.stop(stopped::countDown);
				Awaitility.await()
					.until(() -> !Thread.getAllStackTraces().keySet().stream().noneMatch(this::isStopping));
				assertThat(lifecycle.isRunning()).isTrue();
				assertThat(stopped.getCount()).isOne();
				worker.mayEnd.countDown();
				assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
				assertThat(lifecycle.isRunning()).isFalse();
				assertThat(Contexts.client(context).find(id)).isEmpty();
			});
	}

	private boolean isStopping(Thread thread) {
		return thread.getName().equals("jobs-stop");
	}

	@Test
	void jobStillRunningAfterTheGraceIsGivenBack() {
		InMemoryJobStore store = new InMemoryJobStore();
		this.runner.withBean(JobStore.class, () -> store).withPropertyValues("jobs.shutdown.grace=0").run((context) -> {
			Worker worker = context.getBean(Worker.class);
			JobClient client = Contexts.client(context);
			String id = client.enqueue("wait").id();
			assertThat(worker.started.await(20, TimeUnit.SECONDS)).isTrue();
			context.stop();
			assertThat(client.find(id)).get().satisfies((job) -> {
				assertThat(job.state()).isEqualTo(JobState.READY);
				assertThat(job.attempt()).isOne();
			});
		});
	}

	@Test
	void producerDoesNotRunJobs() {
		this.runner.withPropertyValues("jobs.worker.enabled=false").run((context) -> {
			JobClient client = Contexts.client(context);
			String id = client.enqueue("name-thread").id();
			assertThat(context.getBean(JobEngine.class).isRunning()).isFalse();
			assertThat(context.getBean(JobEngineLifecycle.class).isRunning()).isFalse();
			assertThat(client.find(id)).get().extracting((job) -> job.state()).isEqualTo(JobState.READY);
		});
	}

	@Test
	void producerWithJobsInMemoryIsWarnedAbout(CapturedOutput output) {
		this.runner.withPropertyValues("jobs.worker.enabled=false", "jobs.store=auto")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("jobs.worker.enabled is false and jobs are kept in memory")
			.doesNotContain("Jobs are kept in memory and do not survive a restart");
	}

	@Test
	void workersStopAfterListenersAndBeforeTheWebServer() {
		this.runner.run((context) -> assertThat(context.getBean(JobEngineLifecycle.class).getPhase())
			.isLessThan(SmartLifecycle.DEFAULT_PHASE)
			.isGreaterThan(SmartLifecycle.DEFAULT_PHASE - 1024));
	}

	@Test
	void graceThatTheContextCutsShortIsWarnedAbout(CapturedOutput output) {
		this.runner.withPropertyValues("jobs.shutdown.grace=25s").run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("jobs.shutdown.grace is 25 s")
			.contains("spring.lifecycle.timeout-per-shutdown-phase ends it after 30 s");
	}

	@Test
	void graceThatFitsIsNotWarnedAbout(CapturedOutput output) {
		this.runner.withPropertyValues("jobs.shutdown.grace=20s").run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("jobs.shutdown.grace=25s", "spring.lifecycle.timeout-per-shutdown-phase=1m")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("jobs.shutdown.grace");
	}

	@Test
	void virtualThreadsRunJobsWhereTheRuntimeHasThem() {
		this.runner.withPropertyValues("spring.threads.virtual.enabled=true").run((context) -> {
			Contexts.client(context).enqueue("name-thread");
			assertThat(context.getBean(Received.class).next()).asString().startsWith("jobs-default-");
			Thread thread = context.getBean(Worker.class).thread;
			boolean virtual = Threading.VIRTUAL.isActive(context.getEnvironment());
			assertThat(virtual).isEqualTo(Runtime.version().feature() >= 21);
			assertThat(thread.getThreadGroup().getName().equals("VirtualThreads")).isEqualTo(virtual);
		});
	}

	@Test
	void platformThreadsRunJobsByDefault() {
		this.runner.run((context) -> {
			Contexts.client(context).enqueue("name-thread");
			context.getBean(Received.class).next();
			assertThat(context.getBean(Worker.class).thread.getThreadGroup().getName()).isNotEqualTo("VirtualThreads");
		});
	}

	static class Worker {

		private final Received received;

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private volatile Thread thread = Thread.currentThread();

		Worker(Received received) {
			this.received = received;
		}

		@JobHandler("name-thread")
		void nameThread() {
			this.thread = Thread.currentThread();
			this.received.add(Thread.currentThread().getName());
		}

		@JobHandler("wait")
		void await() throws InterruptedException {
			this.started.countDown();
			this.mayEnd.await();
		}

	}

}
