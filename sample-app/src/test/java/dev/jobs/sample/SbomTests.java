package dev.jobs.sample;

import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the list of dependencies that the sample carries.
 */
@SpringBootTest(properties = "sample.customers=-")
@AutoConfigureMockMvc
@JobsTest
class SbomTests {

	@Autowired
	private MockMvcTester web;

	@Test
	void actuatorShowsWhatTheApplicationConsistsOf() {
		assertThat(this.web.get().uri("/actuator/sbom/application")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.components[*].name")
			.asArray()
			.contains("jobs-spring-boot-starter", "jobs-core", "jobs-redis", "jobs-jdbc", "jobs-dashboard",
					"spring-boot");
	}

	@Test
	void licensesOfTheModulesAreListed() {
		assertThat(this.web.get().uri("/actuator/sbom/application")).bodyJson()
			.extractingPath("$.components[?(@.name == 'jobs-core')].licenses[0].license.id")
			.asArray()
			.containsExactly("Apache-2.0");
	}

}
