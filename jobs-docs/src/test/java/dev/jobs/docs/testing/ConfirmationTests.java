package dev.jobs.docs.testing;

import java.time.Duration;

import dev.jobs.docs.testing.Shop.Mailer;
import dev.jobs.docs.testing.Shop.OrderMail;
import dev.jobs.docs.testing.Shop.OrderPlaced;
import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
@JobsTest
class ConfirmationTests {

	@Autowired
	private TestJobs jobs;

	@Autowired
	private Shop shop;

	@Autowired
	private Mailer mailer;

	@BeforeEach
	void clear() {
		this.jobs.clear();
		this.mailer.down = false;
	}

	@Test
	void orderIsConfirmedByMail() {
		this.shop.place(new OrderPlaced("ada@example.org", "teapot"));
		assertThat(this.jobs.payloads("send-email", OrderMail.class)).hasSize(1);
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("send-email")).isEmpty();
	}

	@Test
	@ExpectsFaults("The mail server is down")
	void mailIsTriedAgainWhenTheServerIsUp() {
		this.mailer.down = true;
		this.shop.place(new OrderPlaced("ada@example.org", "teapot"));
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("send-email").get(0).trail().attempts()).hasSize(1);
		this.mailer.down = false;
		this.jobs.advance(Duration.ofMinutes(2));
		assertThat(this.jobs.waiting("send-email")).isEmpty();
		assertThat(this.jobs.dead()).isEmpty();
	}

}
