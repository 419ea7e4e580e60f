package dev.jobs.autoconfigure.dashboard;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.jobs.store.JobInspector;
import dev.jobs.store.JobStoreException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link Overview}.
 */
class OverviewTests {

	private final JobInspector inspector = mock(JobInspector.class);

	private final Overview overview = new Overview(this.inspector, new History(this.inspector, InstantSource.system()),
			InstantSource.system());

	@Test
	void workersAreReadWhileQueuesAre() {
		CountDownLatch workersRead = new CountDownLatch(1);
		given(this.inspector.workers(any())).willAnswer((call) -> {
			workersRead.countDown();
			return List.of();
		});
		given(this.inspector.queues(any())).willAnswer((call) -> {
			assertThat(workersRead.await(10, TimeUnit.SECONDS)).isTrue();
			return List.of();
		});
		assertThat(this.overview.read().path("workers").isArray()).isTrue();
	}

	@Test
	void faultOfWorkersIsThrownAsItIs() {
		JobStoreException fault = new JobStoreException("down", null, true);
		given(this.inspector.workers(any())).willThrow(fault);
		assertThatThrownBy(this.overview::read).isSameAs(fault);
	}

}
