package dev.jobs.sample;

import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Writes invoices, where the jobs are in the shop's own database: a sale and its job are
 * stored together or not at all, and so are an invoice and the end of its job.
 */
@Component
@Profile("postgres")
class Invoices {

	private final JdbcClient database;

	private final JobClient jobs;

	Invoices(JdbcClient database, JobClient jobs) {
		this.database = database;
		this.jobs = jobs;
	}

	@Transactional
	Enqueued sell(WriteInvoice invoice) {
		this.database.sql("insert into sale (customer, cents) values (?, ?)")
			.params(invoice.customer(), invoice.cents())
			.update();
		return this.jobs.enqueue(invoice);
	}

	/**
	 * An invoice that cannot be written holds back those of its customer, whose numbers
	 * must not have a gap, until someone has looked at it.
	 */
	@JobHandler(transactional = "true", lanes = @JobHandler.Lanes(ordered = true, onDead = "hold"))
	void write(WriteInvoice invoice) {
		this.database.sql("insert into invoice (customer, cents) values (?, ?)")
			.params(invoice.customer(), invoice.cents())
			.update();
	}

	List<WriteInvoice> written() {
		return this.database.sql("select customer, cents from invoice order by id").query(WriteInvoice.class).list();
	}

}
