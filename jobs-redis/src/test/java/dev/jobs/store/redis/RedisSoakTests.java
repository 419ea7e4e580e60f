package dev.jobs.store.redis;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobEvent;
import dev.jobs.JobStoreException;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.contract.process.TcpProxy;
import io.lettuce.core.KillArgs;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many faults of all kinds, one after the other, while producers and workers go on. The
 * system properties {@code jobs.test.soak} and {@code jobs.test.seed} set the number of
 * seconds and the choice of faults.
 */
class RedisSoakTests {

	private static final int SECONDS = Integer.getInteger("jobs.test.soak", 8);

	private static final long SEED = Long.getLong("jobs.test.seed", 20260101);

	private final TcpProxy proxy = new TcpProxy(TestRedis.factory().getPort());

	private final String namespace = TestRedis.newNamespace();

	private final Ledger ledger = new Ledger();

	private final RedisApplication producer = application(this.proxy.uri());

	private final RedisApplication worker = application(this.proxy.uri());

	private final RedisApplication direct = application(RedisApplication.sharedServer());

	private final List<JobsProcess> processes = new ArrayList<>();

	private final List<JobsProcess> living = new ArrayList<>();

	private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(3);

	private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();

	private final Random random = new Random(SEED);

	@TempDir
	private Path directory;

	@AfterEach
	void endAll() {
		this.threads.shutdownNow();
		this.proxy.heal();
		this.processes.forEach(JobsProcess::close);
		this.producer.close();
		this.worker.close();
		this.direct.close();
		this.proxy.close();
	}

	private RedisApplication application(URI server) {
		return new RedisApplication(server, this.namespace, Duration.ofSeconds(1), this.ledger);
	}

	private void launch() {
		JobsProcess process = JobsProcess.start(this.directory, "server=" + this.proxy.uri(),
				"namespace=" + this.namespace, "handlers=work", "lease=1500", "beat=300");
		this.processes.add(process);
		this.living.add(process);
	}

	private void enqueue() {
		try {
			this.producer.enqueue("work");
		}
		catch (EnqueueUnconfirmedException ex) {
			// It may be stored, which nobody promised.
		}
		catch (JobStoreException ex) {
			if (!ex.isTemporary()) {
				this.surprises.add(ex);
			}
		}
		catch (Throwable ex) {
			this.surprises.add(ex);
		}
	}

	private void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
	}

	private void awaitProgress() {
		int acknowledged = this.ledger.acknowledged().size();
		int runs = this.ledger.ran().size();
		await(() -> {
			assertThat(this.ledger.acknowledged().size()).isGreaterThan(acknowledged + 20);
			assertThat(this.ledger.ran().size()).isGreaterThan(runs + 10);
		});
	}

	/**
	 * Return what ran to its end: a start in a process that was killed is no run.
	 */
	private Set<String> ran() {
		Set<String> ran = new HashSet<>(this.ledger.ran());
		this.processes.forEach((process) -> process.reported("end").forEach((line) -> ran.add(line.split(" ")[0])));
		return ran;
	}

	@Test
	void whatWasAcknowledgedRunsWhateverHappens() {
		this.producer.build((builder) -> builder.handler(this.ledger.handler("work")));
		this.worker.start((builder) -> builder.handler(this.ledger.handler("work")));
		launch();
		launch();
		this.living.forEach((process) -> process.await("up"));
		this.threads.scheduleWithFixedDelay(this::enqueue, 0, 1, TimeUnit.MILLISECONDS);
		this.threads.scheduleWithFixedDelay(this::enqueue, 0, 1, TimeUnit.MILLISECONDS);
		Map<Fault, Integer> faults = new TreeMap<>();
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
		while (System.nanoTime() < end) {
			Fault fault = Fault.values()[this.random.nextInt(Fault.values().length)];
			faults.merge(fault, 1, Integer::sum);
			inject(fault);
			awaitProgress();
		}
		this.threads.shutdown();
		String story = "seed %d, faults %s".formatted(SEED, faults);
		await(() -> assertThat(this.threads.isTerminated()).isTrue());
		await(() -> assertThat(this.ledger.acknowledgedBut(ran())).as(story).isEmpty());
		this.living.forEach(JobsProcess::terminate);
		assertThat(this.surprises).as(story).isEmpty();
		this.worker.expectEmptyStore();
		List<String> ends = new ArrayList<>(this.ledger.reported(JobEvent.Succeeded.class));
		this.processes.forEach((process) -> ends.addAll(process.reported("event Succeeded")));
		assertThat(ends).as(story).isNotEmpty();
		assertThat(this.ledger.reported(JobEvent.Died.class)).as(story).isEmpty();
	}

	private void inject(Fault fault) {
		switch (fault) {
			case CUT -> this.proxy.cut();
			case KILL_CLIENTS -> kill(KillArgs.Builder.typeNormal().skipme());
			case KILL_SUBSCRIBERS -> kill(KillArgs.Builder.typePubsub());
			case FORGET_SCRIPTS -> this.direct.commands((commands) -> commands.scriptFlush());
			case KILL_PROCESS -> {
				this.living.remove(this.random.nextInt(this.living.size())).kill();
				launch();
			}
			case REFUSE -> {
				this.proxy.refuse();
				this.threads.schedule(this.proxy::heal, this.random.nextInt(500), TimeUnit.MILLISECONDS);
			}
			case STALL -> {
				this.proxy.stall();
				this.threads.schedule(this.proxy::heal, this.random.nextInt(1500), TimeUnit.MILLISECONDS);
			}
		}
	}

	private void kill(KillArgs clients) {
		this.direct.commands((commands) -> commands.clientKill(clients));
	}

	/**
	 * What may happen.
	 */
	private enum Fault {

		CUT, KILL_CLIENTS, KILL_SUBSCRIBERS, FORGET_SCRIPTS, KILL_PROCESS, REFUSE, STALL

	}

}
