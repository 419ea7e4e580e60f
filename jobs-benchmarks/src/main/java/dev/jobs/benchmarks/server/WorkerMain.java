package dev.jobs.benchmarks.server;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.store.PostgresStores;
import dev.jobs.benchmarks.store.RedisStores;
import dev.jobs.benchmarks.store.ServerStores;
import dev.jobs.benchmarks.subject.EngineSubject;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.EngineSettings;

/**
 * A worker on a server as a process of its own. For each job that starts it prints the
 * job's number and the instant. It ends when its input does, that is with the process
 * that started it.
 */
final class WorkerMain {

	private WorkerMain() {
	}

	/**
	 * Run the worker.
	 * @param arguments the {@link Options}
	 * @throws IOException if the input cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		Options options = Options.of(List.of(arguments));
		PrintStream out = System.out;
		CountDownLatch forEver = new CountDownLatch(1);
		ServerStores stores = options.url().startsWith("jdbc:") ? PostgresStores.at(options.url(), null)
				: RedisStores.at(options.url());
		Load load = new Load(0, options.queues(), options.concurrency());
		EngineSettings settings = EngineSettings.defaults()
			.withLease(options.lease(), options.lease().multipliedBy(4).dividedBy(15));
		JobEngine engine = EngineSubject.engine(stores.open(options.namespace()).store(), load, settings, (payload) -> {
			long now = WallClock.nanos();
			out.println(payload.i() + " " + now);
			if (options.holds()) {
				await(forEver);
			}
		});
		engine.start();
		while (System.in.read() >= 0) {
			// Nothing is said to a worker.
		}
		Runtime.getRuntime().halt(0);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * What a worker is to do.
	 *
	 * @param url where the server is
	 * @param namespace the namespace
	 * @param queues how many queues it serves
	 * @param concurrency how many jobs it runs at once
	 * @param lease how long it counts as alive after a beat
	 * @param holds whether its jobs never end
	 */
	record Options(String url, String namespace, int queues, int concurrency, Duration lease, boolean holds) {

		static Options of(List<String> arguments) {
			return new Options(arguments.get(0), arguments.get(1), Integer.parseInt(arguments.get(2)),
					Integer.parseInt(arguments.get(3)), Duration.parse(arguments.get(4)),
					Boolean.parseBoolean(arguments.get(5)));
		}

		List<String> toArguments() {
			return List.of(this.url, this.namespace, Integer.toString(this.queues), Integer.toString(this.concurrency),
					this.lease.toString(), Boolean.toString(this.holds));
		}

	}

}
