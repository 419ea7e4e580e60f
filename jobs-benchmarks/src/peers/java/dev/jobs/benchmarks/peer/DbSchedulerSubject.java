package dev.jobs.benchmarks.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Producers;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.PostgresStores;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * db-scheduler as it is fastest: it locks and fetches, and goes by its advice of how far
 * ahead. A task of its own stands for each queue.
 */
final class DbSchedulerSubject extends PeerSubject {

	/** That of its documentation, without the index for priorities. */
	private static final String SCHEMA = """
			create table %1$s (
				task_name text not null,
				task_instance text not null,
				task_data bytea,
				execution_time timestamp with time zone not null,
				picked boolean not null,
				picked_by text,
				last_success timestamp with time zone,
				last_failure timestamp with time zone,
				consecutive_failures int,
				last_heartbeat timestamp with time zone,
				version bigint not null,
				priority smallint,
				primary key (task_name, task_instance)
			);
			create index %1$s_execution on %1$s (execution_time);
			create index %1$s_heartbeat on %1$s (last_heartbeat)""";

	private static final double LOWER = 1;

	private static final double UPPER = 4;

	private static final Duration POLL = Duration.ofMillis(100);

	DbSchedulerSubject(PostgresStores stores) {
		super(stores);
	}

	@Override
	long drain(Load load, String prefix, HikariDataSource pool) {
		String table = createTable(prefix, pool);
		Arrivals arrivals = new Arrivals(load.jobs());
		Scheduler scheduler = Scheduler.create(pool, tasks(load, (payload) -> arrivals.arrived()))
			.tableName(table)
			.serializer(new Json())
			.threads(load.concurrency())
			.pollUsingLockAndFetch(LOWER, UPPER)
			.pollingInterval(POLL)
			.build();
		schedule(scheduler, new StoreJobs(load.names()), 0, load.jobs());
		System.gc();
		long started = System.nanoTime();
		scheduler.start();
		arrivals.awaitAll();
		JdbcTemplate jdbc = new JdbcTemplate(pool);
		await(() -> jdbc.queryForList("select 1 from " + table + " limit 1").isEmpty());
		long took = System.nanoTime() - started;
		scheduler.stop();
		arrivals.requireExact();
		return took;
	}

	@Override
	long enqueue(Load load, String prefix, HikariDataSource pool, int threads, int batch) {
		String table = createTable(prefix, pool);
		SchedulerClient client = SchedulerClient.Builder.create(pool, tasks(load, (payload) -> {
		})).tableName(table).serializer(new Json()).build();
		StoreJobs jobs = new StoreJobs(load.names());
		System.gc();
		return Producers.time(load.jobs(), threads, batch, (from, to) -> {
			if (batch == 1) {
				client.scheduleIfNotExists(instance(jobs, from), StoreJobs.now());
			}
			else {
				schedule(client, jobs, from, to);
			}
		});
	}

	private static String createTable(String prefix, HikariDataSource pool) {
		String table = prefix + "tasks";
		new JdbcTemplate(pool).execute(SCHEMA.formatted(table));
		return table;
	}

	private static List<Task<?>> tasks(Load load, Consumer<Payload> handler) {
		List<Task<?>> tasks = new ArrayList<>();
		for (String name : load.names()) {
			tasks.add(Tasks.oneTime(name, Payload.class)
				.execute((instance, context) -> handler.accept(instance.getData())));
		}
		return tasks;
	}

	private static void schedule(SchedulerClient client, StoreJobs jobs, int from, int to) {
		for (int next = from; next < to; next += StoreJobs.BATCH) {
			List<TaskInstance<?>> batch = new ArrayList<>(IntStream.range(next, Math.min(next + StoreJobs.BATCH, to))
				.mapToObj((i) -> instance(jobs, i))
				.toList());
			client.scheduleBatch(batch, StoreJobs.now());
		}
	}

	private static TaskInstance<Payload> instance(StoreJobs jobs, int i) {
		String queue = jobs.queue(i);
		return new TaskInstance<>(queue, jobs.id(queue), new Payload(i));
	}

	/** The JSON that all write and read. */
	private static final class Json implements Serializer {

		@Override
		public byte[] serialize(Object data) {
			return Payload.SERIALIZER.write(data, Integer.MAX_VALUE);
		}

		@Override
		public <T> @Nullable T deserialize(Class<T> type, byte[] data) {
			return type.cast(Payload.READER.read(data));
		}

	}

}
