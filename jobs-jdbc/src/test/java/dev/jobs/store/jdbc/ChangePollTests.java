package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.jobs.store.Change;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.StoreListener;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that settings and schedules reach other processes where no signals arrive.
 */
class ChangePollTests {

	private static final Instant NOW = Instant.parse("2026-03-01T00:00:00Z");

	static List<TestDatabase> databases() {
		return TestDatabase.present();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void changesReachAnotherProcessWithinASecond(TestDatabase database) {
		JdbcJobStore here = (JdbcJobStore) database.createStore();
		try (JdbcJobStore there = JdbcJobStore.builder(database.dataSource())
			.tablePrefix(database.prefix(here))
			.build()) {
			List<String> heard = new CopyOnWriteArrayList<>();
			there.listen(new StoreListener() {

				@Override
				public void settingsChanged() {
					heard.add("settings");
				}

				@Override
				public void ticks(Instant at) {
					heard.add("ticks at " + at);
				}

			});
			await("the settings at first").until(() -> heard.size() == 1);
			here.change(List.of(new Change.Set("pool", "default", "7", "ada")), NOW);
			await("the setting").atMost(Duration.ofSeconds(2)).until(() -> heard.size() == 2);
			here.change(List
				.of(new Change.PutSchedule(new NewSchedule("report", "def", "q", "1"), "spec", NOW, Duration.ZERO)),
					NOW);
			await("the schedule").atMost(Duration.ofSeconds(2)).until(() -> heard.size() == 3);
			await().during(Duration.ofSeconds(1)).until(() -> heard.size() == 3);
			assertThat(heard).containsExactly("settings", "settings", "ticks at " + NOW);
		}
		finally {
			database.destroyStore(here);
		}
	}

}
