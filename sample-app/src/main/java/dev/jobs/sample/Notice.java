package dev.jobs.sample;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.jobs.JobLane;
import dev.jobs.JobType;

/**
 * The wish to tell a customer something. How is stored by the name of its type. Each way
 * is a lane, so letters are sent while text messages have to wait.
 *
 * @param contact how
 * @param text what
 */
@JobType("send-notice")
record Notice(Contact contact, String text) {

	Notice {
		if (contact == null || text == null) {
			throw new IllegalArgumentException("A notice needs a 'contact' and a 'text'");
		}
	}

	@JobLane
	String way() {
		return this.contact.getClass().getSimpleName();
	}

	/**
	 * A way to reach a customer.
	 */
	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	sealed interface Contact permits Phone, Letter {

	}

	/**
	 * By a text message.
	 *
	 * @param number the number
	 */
	@JsonTypeName("phone")
	record Phone(String number) implements Contact {

	}

	/**
	 * By a letter.
	 *
	 * @param address where to
	 */
	@JsonTypeName("letter")
	record Letter(String address) implements Contact {

	}

}
