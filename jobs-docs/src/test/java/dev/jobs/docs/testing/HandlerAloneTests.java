package dev.jobs.docs.testing;

import dev.jobs.docs.testing.Shop.Mailer;
import dev.jobs.docs.testing.Shop.OrderMail;
import dev.jobs.test.TestJobContext;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HandlerAloneTests {

	private final Mailer mailer = new Mailer();

	@Test
	void mailGoesToTheCustomer() {
		TestJobContext context = new TestJobContext("send-email");
		this.mailer.send(new OrderMail("ada@example.org", "teapot"), context);
		assertThat(context.checkIns()).containsExactly("to ada@example.org");
	}

}
