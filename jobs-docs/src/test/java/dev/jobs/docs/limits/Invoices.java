package dev.jobs.docs.limits;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobHandler;
import dev.jobs.JobHandler.Lanes;
import dev.jobs.JobLane;
import dev.jobs.JobType;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.LaneOperations;
import dev.jobs.operations.SelectionOperations;

import org.springframework.stereotype.Component;

/**
 * What docs/lanes.md shows.
 */
@Component
class Invoices {

	final List<String> sent = new ArrayList<>();

	final List<Integer> booked = new ArrayList<>();

	private final JobClient jobs;

	private final JobOperations operations;

	Invoices(JobClient jobs, JobOperations operations) {
		this.jobs = jobs;
		this.operations = operations;
	}

	@JobHandler(value = "send-invoice", lanes = @Lanes(maxConcurrency = 2))
	void send(SendInvoice invoice) {
		this.sent.add(invoice.invoice());
	}

	void remind(Reminder invoice) {
		this.jobs.enqueue(invoice, (options) -> options.lane("tenant:" + invoice.tenant()));
	}

	@JobHandler
	void reminded(Reminder invoice) {
		this.sent.add("reminder of " + invoice.tenant());
	}

	@JobHandler(value = "book-payment", lanes = @Lanes(ordered = true))
	void book(BookPayment payment) {
		this.booked.add(payment.number());
	}

	@JobHandler(value = "send-reminder", lanes = @Lanes(maxWaiting = 1000))
	void remind(String customer) {
		this.sent.add(customer);
	}

	void calmDown() {
		LaneOperations lane = this.operations.by("ada").queue("send-invoice").lane("tenant:42");
		lane.pause();
		lane.limit(1);
		lane.weight(4);
		lane.deleteWaiting();
		lane.resume();
		lane.removeLimit();
		lane.removeWeight();
	}

	SelectionOperations ofTenant(String tenant) {
		return this.operations.jobs(JobFilter.of((only) -> only.name("send-invoice").lane(tenant)));
	}

	@JobType("send-invoice")
	record SendInvoice(@JobLane String tenant, String invoice) {

	}

	@JobType("book-payment")
	record BookPayment(@JobLane String account, int number) {

	}

	@JobType("remind")
	record Reminder(String tenant) {

	}

}
