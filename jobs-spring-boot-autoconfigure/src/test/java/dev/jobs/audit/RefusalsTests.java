package dev.jobs.audit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.SettableClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Refusals}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RefusalsTests {

	private static final RefusedAction DELETE = new RefusedAction("delete", "{}", "No.", true);

	private final SettableClock clock = SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"));

	private final List<Object> events = new ArrayList<>();

	private final Refusals refusals = new Refusals(this.clock, this.events::add);

	private void refuse(@Nullable String user, RefusedAction refused, int times) {
		Operator operator = new Operator("dashboard", (user != null) ? user : "127.0.0.1");
		for (int i = 0; i < times; i++) {
			this.refusals.record(operator, user != null, refused);
		}
	}

	private static long lines(CapturedOutput output, String text) {
		return output.getAll().lines().filter((line) -> line.contains(text)).count();
	}

	@Test
	void strangersNeitherFloodTheLogNorHideWhatUsersTry(CapturedOutput output) {
		refuse(null, DELETE, 1000);
		assertThat(this.events).hasSize(Refusals.MOST);
		assertThat(lines(output, "refused delete by 127.0.0.1")).isEqualTo(Refusals.MOST);
		refuse("ada", DELETE, 1);
		assertThat(lines(output, "refused delete by ada")).isOne();
		this.clock.advance(Duration.ofMinutes(1));
		refuse(null, DELETE, 1);
		assertThat(lines(output, (1000 - Refusals.MOST) + " more refused actions")).isOne();
		assertThat(this.events).hasSize(Refusals.MOST + 2);
		refuse("ada", DELETE, 1);
		assertThat(lines(output, "more refused actions")).isOne();
	}

	@Test
	void whatIsSentForgesNoLines(CapturedOutput output) {
		refuse("ada\nmallory",
				new RefusedAction("delete\nforged", "{}\nforged" + "x".repeat(100_000), "No\nforged.", true), 1);
		assertThat(lines(output, "refused \"delete?forged\" by \"ada?mallory\" on \"{}?forged")).isOne();
		assertThat(lines(output, "forged")).isOne();
		assertThat(output.getAll().length()).isLessThan(2000);
	}

	@Test
	void nothingForgesAPartOfALine(CapturedOutput output) {
		refuse("ada on b: Fine", new RefusedAction("delete by eve", "{\"ids\":[]}: Fine", "No.", true), 1);
		assertThat(lines(output,
				"Dashboard: refused \"delete by eve\" by \"ada on b: Fine\" on \"{\\\"ids\\\":[]}: Fine\": No."))
			.isOne();
	}

	@Test
	@ExpectsFaults("a listener failed to handle")
	void exceptionOfAListenerForgesNoLines(CapturedOutput output) {
		Refusals failing = new Refusals(this.clock, (event) -> {
			throw new IllegalStateException("no\n2030-01-01 INFO Dashboard: admin did delete");
		});
		failing.record(new Operator("dashboard", "ada"), true, DELETE);
		assertThat(lines(output, "a listener failed to handle a refused action")).isOne();
		assertThat(output.getAll().lines()).noneMatch((line) -> line.startsWith("2030-01-01"))
			.anyMatch((line) -> line.contains("| 2030-01-01 INFO Dashboard: admin did delete"))
			.anyMatch((line) -> line.contains("RefusalsTests"));
	}

	@Test
	void onlyWhatSomebodyMayNotDoIsPublished(CapturedOutput output) {
		refuse("ada", new RefusedAction("delete", "{}", "No.", false), 1);
		assertThat(this.events).isEmpty();
		assertThat(lines(output, "refused delete by ada")).isOne();
	}

}
