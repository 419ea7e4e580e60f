package dev.jobs.dashboard.view;

import java.time.Instant;
import java.util.List;

import dev.jobs.JobCount;
import dev.jobs.store.support.StoreFault;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Alerts}.
 */
class AlertsTests {

	private static JsonNode alerts(StoreFault... faults) {
		ObjectNode overview = JsonNodeFactory.instance.objectNode();
		Alerts.put(overview, List.of(), JobCount.exactly(0), List.of(), List.of(faults), Instant.EPOCH);
		return overview.path("alerts");
	}

	@Test
	void whatTheStoreRefusesIsAnAlert() {
		assertThat(alerts()).isEmpty();
		JsonNode alerts = alerts(new StoreFault(false, "The store refuses the end of job 'mail' 7: no no"));
		assertThat(alerts).hasSize(1);
		assertThat(alerts.path(0).path("level").asString()).isEqualTo("warn");
		assertThat(alerts.path(0).path("text").asString())
			.isEqualTo("The store refuses the end of job 'mail' 7: no no");
	}

	@Test
	void faultThatStopsWorkIsBadAndOthersAreCounted() {
		JsonNode alerts = alerts(new StoreFault(false, "one"), new StoreFault(true, "two"));
		assertThat(alerts).hasSize(1);
		assertThat(alerts.path(0).path("level").asString()).isEqualTo("bad");
		assertThat(alerts.path(0).path("text").asString()).isEqualTo("two (and 1 more; the health lists them)");
	}

	@Test
	void faultThatStopsWorkIsSeenThoughALesserOneWasDismissed() {
		assertThat(alerts(new StoreFault(true, "two")).path(0).path("kind"))
			.isNotEqualTo(alerts(new StoreFault(false, "one")).path(0).path("kind"));
	}

}
