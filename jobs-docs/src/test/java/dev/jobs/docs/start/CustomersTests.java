package dev.jobs.docs.start;

import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
@JobsTest
class CustomersTests {

	@Autowired
	private TestJobs jobs;

	@Autowired
	private Customers customers;

	@Test
	void newCustomerIsWelcomed() {
		this.customers.register("ada@example.org");
		assertThat(this.jobs.payloads("send-welcome", Welcome.class)).containsExactly(new Welcome("ada@example.org"));
		assertThat(this.jobs.runUntilIdle()).isEqualTo(1);
		assertThat(this.jobs.waiting()).isEmpty();
	}

}
