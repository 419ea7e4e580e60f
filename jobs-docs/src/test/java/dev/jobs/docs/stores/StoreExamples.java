package dev.jobs.docs.stores;

import java.util.Map;

import javax.sql.DataSource;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.JobType;
import dev.jobs.PageRequest;
import dev.jobs.autoconfigure.jdbc.JobsDataSource;
import dev.jobs.autoconfigure.redis.JobsConnectionFactory;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcSchema;
import dev.jobs.store.redis.RedisJobStore;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.annotation.Transactional;

/**
 * What the pages about stores and the configuration show.
 */
class StoreExamples {

	private final Accounts accounts = new Accounts();

	private final Orders orders = new Orders();

	private final JobClient jobs;

	StoreExamples(JobClient jobs) {
		this.jobs = jobs;
	}

	@Bean(defaultCandidate = false)
	@JobsConnectionFactory
	LettuceConnectionFactory jobsRedis() {
		return new LettuceConnectionFactory("jobs.example.org", 6379);
	}

	@Bean(defaultCandidate = false)
	@JobsDataSource
	DataSource jobsDatabase() {
		return DataSourceBuilder.create().url("jdbc:postgresql://jobs.example.org/jobs").username("jobs").build();
	}

	@JobHandler(value = "charge", transactional = "true")
	void charge(Charge charge) {
		this.accounts.debit(charge.account(), charge.amount());
	}

	@Transactional
	void place(Order order) {
		this.orders.save(order);
		this.jobs.enqueue(new OrderMail(order.customer(), order.number(), "Thank you"));
	}

	static JobStore inRedis(LettuceConnectionFactory connectionFactory) {
		JobStore store = new RedisJobStore(connectionFactory, "jobs");
		return store;
	}

	static JobStore inADatabase(DataSource dataSource, DataSource fewConnections) {
		JdbcJobStore store = JdbcJobStore.builder(dataSource).engine(fewConnections).tablePrefix("jobs_").build();
		return store;
	}

	static String statements() {
		String all = JdbcSchema.of(Database.POSTGRESQL, "shop.jobs_");
		return all;
	}

	static int move(JobOperations from, JobClient to) {
		JobFilter waiting = JobFilter.of((only) -> only.states(JobState.READY, JobState.SCHEDULED));
		int moved = 0;
		int before;
		do {
			before = moved;
			for (Job job : from.jobs(waiting).page(PageRequest.oldestFirst(PageRequest.LARGEST)).jobs()) {
				from.job(job.id()).find().ifPresent((whole) -> to.enqueue(copyOf(whole)));
				moved += from.job(job.id()).delete() ? 1 : 0;
			}
		}
		while (moved > before);
		return moved;
	}

	private static JobRequest copyOf(Job job) {
		JobRequest request = JobRequest.named(job.name())
			.payload(job.payload())
			.options((options) -> options.at(job.dueAt()).tags(job.tags()));
		for (Map.Entry<String, String> header : job.headers().entrySet()) {
			if (!header.getKey().startsWith("jobs.")) {
				request = request.header(header.getKey(), header.getValue());
			}
		}
		return request;
	}

	record Charge(String account, long amount) {

	}

	record Order(String customer, long number) {

	}

	@JobType("send-email")
	record OrderMail(String to, long order, String text) {

	}

	static final class Accounts {

		void debit(String account, long amount) {
		}

	}

	static final class Orders {

		void save(Order order) {
		}

	}

}
