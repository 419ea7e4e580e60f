package dev.jobs.sample;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.jobs.JobType;

/**
 * The wish to tell a customer something. How is stored by the name of its type.
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
