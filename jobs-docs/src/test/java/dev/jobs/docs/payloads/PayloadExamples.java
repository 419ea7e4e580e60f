package dev.jobs.docs.payloads;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.jobs.JobArgs;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/**
 * What docs/payloads.md shows.
 */
@SpringBootApplication
class PayloadExamples {

	final List<String> log = new ArrayList<>();

	@Bean
	JacksonModule moneyModule() {
		return new SimpleModule("money").setMixInAnnotation(Money.class, MoneyAsJson.class);
	}

	@JobHandler("charge")
	void charge(JobArgs args) {
		String customer = args.string("customer");
		long cents = args.integer("cents");
		args.check();
		charge(customer, cents);
	}

	private void charge(String customer, long cents) {
		this.log.add(customer + " pays " + cents);
	}

	@JobHandler("refund")
	void refund(Refund refund) {
		this.log.add("to " + refund.method());
	}

	@JobHandler("invite")
	void invite(Invitation invitation) {
		this.log.add(invitation.recipient() + " and " + invitation.seats());
	}

	@JobHandler("price")
	void price(Price price) {
		this.log.add("costs " + price.amount().inCents());
	}

	@JobType("invite")
	record Invitation(@JsonAlias("to") String recipient, int seats) {

	}

	@JobType("price")
	record Price(Money amount) {

	}

	/**
	 * A type of another library, without visible properties.
	 */
	static final class Money {

		private final long cents;

		private Money(long cents) {
			this.cents = cents;
		}

		static Money ofCents(long cents) {
			return new Money(cents);
		}

		long inCents() {
			return this.cents;
		}

	}

	abstract static class MoneyAsJson {

		@JsonValue
		long cents;

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static Money ofCents(long cents) {
			throw new UnsupportedOperationException();
		}

	}

	@JobType("refund")
	record Refund(Way method) {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	sealed interface Way permits Card, Transfer {

	}

	@JsonTypeName("card")
	record Card(String number) implements Way {

	}

	@JsonTypeName("transfer")
	record Transfer(String iban) implements Way {

	}

}
