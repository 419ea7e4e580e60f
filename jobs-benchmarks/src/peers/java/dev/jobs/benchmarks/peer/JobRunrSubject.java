package dev.jobs.benchmarks.peer;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Producers;
import dev.jobs.benchmarks.store.PostgresStores;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.jobs.states.StateName;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/**
 * JobRunr with its shortest poll interval. It knows no queues, so all jobs are in one.
 */
final class JobRunrSubject extends PeerSubject {

	private static final Duration POLL = Duration.ofSeconds(5);

	JobRunrSubject(PostgresStores stores) {
		super(stores);
	}

	@Override
	long drain(Load load, String prefix, HikariDataSource pool) {
		Arrivals arrivals = new Arrivals(load.jobs());
		try (StorageProvider storage = storage(prefix, pool)) {
			enqueue(new JobRequestScheduler(storage), 0, load.jobs());
			BackgroundJobServer server = new BackgroundJobServer(storage, new Jackson3JsonMapper(),
					activator((request) -> arrivals.arrived()),
					BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
						.andPollInterval(POLL)
						.andWorkerCount(load.concurrency()));
			System.gc();
			long started = System.nanoTime();
			server.start();
			arrivals.awaitAll();
			await(() -> storage.countJobs(StateName.SUCCEEDED) == load.jobs());
			long took = System.nanoTime() - started;
			server.stop();
			arrivals.requireExact();
			return took;
		}
	}

	@Override
	long enqueue(Load load, String prefix, HikariDataSource pool, int threads, int batch) {
		try (StorageProvider storage = storage(prefix, pool)) {
			JobRequestScheduler scheduler = new JobRequestScheduler(storage);
			System.gc();
			return Producers.time(load.jobs(), threads, batch, (from, to) -> {
				if (batch == 1) {
					scheduler.enqueue(new Request(from, "a@b.c"));
				}
				else {
					enqueue(scheduler, from, to);
				}
			});
		}
	}

	private static void enqueue(JobRequestScheduler scheduler, int from, int to) {
		scheduler.enqueue(IntStream.range(from, to).mapToObj((i) -> new Request(i, "a@b.c")));
	}

	private static StorageProvider storage(String prefix, HikariDataSource pool) {
		StorageProvider storage = new PostgresStorageProvider(pool, prefix);
		storage.setJobMapper(new JobMapper(new Jackson3JsonMapper()));
		return storage;
	}

	private static JobActivator activator(Consumer<Request> handler) {
		Handler only = new Handler(handler);
		return new JobActivator() {

			@Override
			public <T> T activateJob(Class<T> type) {
				return type.cast(only);
			}

		};
	}

	/**
	 * What a job carries.
	 *
	 * @param i the job's number
	 * @param email an address
	 */
	public record Request(int i, String email) implements JobRequest {

		@Override
		public Class<Handler> getJobRequestHandler() {
			return Handler.class;
		}

	}

	/** Runs the jobs. */
	public static final class Handler implements JobRequestHandler<Request> {

		private final Consumer<Request> handler;

		Handler(Consumer<Request> handler) {
			this.handler = handler;
		}

		@Override
		public void run(Request request) {
			this.handler.accept(request);
		}

	}

}
