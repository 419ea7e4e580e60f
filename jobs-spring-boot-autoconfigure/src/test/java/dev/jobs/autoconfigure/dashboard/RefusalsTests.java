package dev.jobs.autoconfigure.dashboard;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.jobs.test.SettableClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Refusals}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RefusalsTests {

	private final SettableClock clock = SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"));

	private final List<Object> events = new ArrayList<>();

	private final Refusals refusals = new Refusals(this.clock, this.events::add);

	private void refuse(@Nullable String user, int times) {
		refuse(user, "{}", times, HttpStatus.FORBIDDEN);
	}

	private void refuse(@Nullable String user, String body, int times, HttpStatus status) {
		DashboardRequest request = new DashboardRequest("POST", "api/delete", Map.of(), new HttpHeaders(),
				body.getBytes(StandardCharsets.UTF_8),
				new DashboardRequest.Caller(user, (role) -> false, InetAddress.getLoopbackAddress(), null), "localhost",
				false, null);
		for (int i = 0; i < times; i++) {
			this.refusals.tell(request, "delete", new RefusedException(status, "No."));
		}
	}

	private static long lines(CapturedOutput output, String text) {
		return output.getAll().lines().filter((line) -> line.contains(text)).count();
	}

	@Test
	void strangersNeitherFloodTheLogNorHideWhatUsersTry(CapturedOutput output) {
		refuse(null, 1000);
		assertThat(this.events).hasSize(Refusals.MOST);
		assertThat(lines(output, "refused delete to 127.0.0.1")).isEqualTo(Refusals.MOST);
		refuse("ada", 1);
		assertThat(lines(output, "refused delete to ada")).isOne();
		this.clock.advance(Duration.ofMinutes(1));
		refuse(null, 1);
		assertThat(lines(output, "refused " + (1000 - Refusals.MOST) + " more acts")).isOne();
		assertThat(this.events).hasSize(Refusals.MOST + 2);
		refuse("ada", 1);
		assertThat(lines(output, "more acts")).isOne();
	}

	@Test
	void whatIsSentForgesNoLines(CapturedOutput output) {
		refuse("ada\nmallory", "{}\nforged" + "x".repeat(100_000), 1, HttpStatus.FORBIDDEN);
		assertThat(lines(output, "refused delete to ada?mallory on {}?forged")).isOne();
		assertThat(output.getAll().length()).isLessThan(2000);
	}

	@Test
	void onlyWhatSomebodyMayNotDoIsPublished(CapturedOutput output) {
		refuse("ada", "{}", 1, HttpStatus.CONFLICT);
		assertThat(this.events).isEmpty();
		assertThat(lines(output, "refused delete to ada")).isOne();
	}

}
