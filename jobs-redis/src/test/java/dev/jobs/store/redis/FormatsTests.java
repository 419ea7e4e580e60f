package dev.jobs.store.redis;

import java.util.zip.DeflaterOutputStream;
import java.util.stream.IntStream;
import java.util.List;
import java.nio.charset.StandardCharsets;
import java.io.UncheckedIOException;
import java.io.OutputStream;
import java.io.IOException;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Map;

import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.store.Claim;
import dev.jobs.store.Transition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Formats} of versions side by side.
 */
class FormatsTests {

	private static final Instant NOW = Instant.ofEpochMilli(5);

	private static final Job JOB = new Job("id", "q", new byte[0], Map.of(), JobState.RUNNING, NOW, NOW, Trail.EMPTY,
			null);

	@Test
	void progressOfAVersionWithoutLogsIsRead() {
		byte[] written = new FieldWriter().add(NOW).add(3).add(7).addOptional("told").toBytes();
		assertThat(Formats.progress(written)).isEqualTo(new Progress("told", 3, 7, NOW));
	}

	@Test
	void versionWithoutLogsReadsProgress() {
		FieldReader reader = new FieldReader(Formats.progress(new Progress("told", 3, 7, NOW, "log")));
		assertThat(reader.instant()).isEqualTo(NOW);
		assertThat(reader.number()).isEqualTo(3);
		assertThat(reader.number()).isEqualTo(7);
		assertThat(reader.optional()).isEqualTo("told");
	}

	@Test
	void versionWithoutLogsReadsFourFieldsOfEachAttempt() {
		Trail trail = Trail.EMPTY.failed(new Attempt(1, NOW, "a", "stack\u001e of a", "log of a"))
			.failed(new Attempt(2, NOW, "b", null, "log of b"))
			.failed(new Attempt(3, NOW, "c", null));
		FieldReader reader = new FieldReader(Formats.trail(Transition.scheduled(new Claim(JOB, 1), NOW, trail)));
		for (int i = 0; i < 4; i++) {
			reader.skip();
		}
		for (String stack : new String[] { "stack  of a\u001elog of a", "\u001elog of b", null }) {
			assertThat(reader.integer()).isPositive();
			assertThat(reader.instant()).isEqualTo(NOW);
			assertThat(reader.text()).hasSize(1);
			assertThat(reader.optional()).isEqualTo(stack);
		}
		assertThat(reader.hasMore()).isFalse();
	}

	@Test
	void longStacksAreKeptCompressed() {
		Trail trail = Trail.EMPTY.failed(new Attempt(1, NOW, "a", stack('a', 3000), "log of a"))
			.failed(new Attempt(2, NOW, "b", stack('\u00fc', 8000)))
			.failed(new Attempt(3, NOW, "c", null, stack('c', 2000)))
			.failed(new Attempt(4, NOW, "d", "at short.Stack"));
		byte[] written = written(trail);
		assertThat(written).hasSizeLessThan(10_000);
		assertThat(read(written)).isEqualTo(trail);
	}

	@Test
	void longStackOfAnEarlierVersionIsRead() {
		String stack = stack('s', 3000);
		assertThat(read(attempt(stack)).attempts()).containsExactly(new Attempt(1, NOW, "a", stack));
	}

	@Test
	void whatOnlyBeginsAsIfItWereCompressedIsToldAsItIs() {
		for (String stack : new String[] { "\u001d", "\u001dshort", "\u001d" + stack('s', 400) }) {
			Trail trail = Trail.EMPTY.failed(new Attempt(1, NOW, "a", stack));
			assertThat(read(written(trail))).isEqualTo(trail);
			assertThat(read(attempt(stack)).attempts()).containsExactly(new Attempt(1, NOW, "a", stack));
		}
	}

	private static String stack(char begin, int length) {
		StringBuilder stack = new StringBuilder().append(begin);
		for (int line = 0; stack.length() < length; line++) {
			stack.append("at com.example.Service.call(Service.java:").append(line).append(")\n");
		}
		return stack.toString();
	}

	private static byte[] written(Trail trail) {
		Claim claim = new Claim(JOB, 1);
		return new FieldWriter().add("").addRest(Formats.trail(Transition.scheduled(claim, NOW, trail))).toBytes();
	}

	private static byte[] attempt(String stack) {
		FieldWriter head = new FieldWriter().add("").add(2).add("1,0,0,0,0").add("").add("");
		return head.add(1).add(NOW).add("a").addOptional(stack).toBytes();
	}

	private static Trail read(byte[] trail) {
		byte[] record = new FieldWriter().add(NOW).add("").add("q").add("").add(0).toBytes();
		return Formats.job("id", "q", record, trail).job().trail();
	}

	@Test
	void endlessAttemptsAndStacksAreReadWithinABound() {
		String bomb = zlib(1 << 20);
		FieldWriter trail = new FieldWriter().add("").add(1).add("2000,0,0,0,0").add("").add("");
		for (int i = 1; i <= 2000; i++) {
			trail.add(i).add(Instant.EPOCH).add("error").addOptional(bytes(bomb));
		}
		List<Attempt> attempts = Formats.job("id", "q", new byte[0], trail.toBytes()).job().trail().attempts();
		assertThat(attempts).extracting(Attempt::number)
			.containsExactlyElementsOf(IntStream.rangeClosed(2001 - Trail.ATTEMPTS_KEPT, 2000).boxed().toList());
		assertThat(attempts)
			.allMatch((attempt) -> attempt.stackTrace() == null || attempt.stackTrace().length() <= 1 << 16);
		assertThat(attempts.stream().mapToInt((attempt) -> String.valueOf(attempt.stackTrace()).length()).sum())
			.isBetween(1 << 16, 6 << 16);
	}

	@Test
	void longestStacksAndLogsThatAreWrittenAreReadAsTheyWere() {
		List<Attempt> attempts = IntStream.rangeClosed(1, Trail.ATTEMPTS_KEPT)
			.mapToObj((i) -> new Attempt(i, Instant.EPOCH, "error", "\u4e2d".repeat(8000),
					(i > 7) ? "\u6587".repeat(8000) : null))
			.toList();
		Trail trail = new Trail(10, 0, 0, false, 0, attempts, null);
		byte[] written = Formats.trail(new Transition("id", "q", 1, Transition.To.DEAD, Instant.EPOCH, trail));
		byte[] stored = new FieldWriter().add("").addRest(written).toBytes();
		assertThat(Formats.job("id", "q", new byte[0], stored).job().trail()).isEqualTo(trail);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	private static String zlib(int size) {
		ByteArrayOutputStream written = new ByteArrayOutputStream();
		written.write(0x1d);
		try (OutputStream compressing = new DeflaterOutputStream(written)) {
			compressing.write("x".repeat(size).getBytes(StandardCharsets.US_ASCII));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return written.toString(StandardCharsets.ISO_8859_1);
	}

}
