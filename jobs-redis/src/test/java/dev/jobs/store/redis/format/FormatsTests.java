package dev.jobs.store.redis.format;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.support.StoredVersion;
import dev.jobs.store.support.StoredVersion.UnknownVersionException;
import dev.jobs.store.support.TrailBuilder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Formats}.
 */
class FormatsTests {

	private static final Instant NOW = Instant.ofEpochMilli(5);

	private static final Job JOB = Job.builder("id", "q").state(JobState.RUNNING).createdAt(NOW).dueAt(NOW).build();

	@Test
	void eachFormBeginsWithItsVersion() {
		assertThat(Formats.record(NewJob.of("id", "q", new byte[0], NOW))).startsWith('a');
	}

	@Test
	void jobOfAnUnknownVersionIsAllPayload() {
		byte[] record = Formats.record(NewJob.of("id", "q", new byte[] { 1 }, NOW));
		assertThat(Formats.job("id", "q", record, new byte[0]).job().payload()).containsExactly(1);
		record[0] = 'b';
		assertThat(Formats.job("id", "q", record, new byte[0]).job().payload()).isEqualTo(record);
	}

	@Test
	void trailOfAnUnknownVersionIsMissing() {
		byte[] written = written(TrailRules.failed(Trail.EMPTY, Attempt.of(1, NOW, "a")));
		assertThat(read(written).failures()).isOne();
		written[0] = 'b';
		assertThat(read(written)).isEqualTo(Trail.EMPTY);
	}

	@Test
	void unknownVersionIsAFaultWithAName() {
		byte[] written = new FieldWriter(new StoredVersion("it", 2)).add("x").toBytes();
		assertThatExceptionOfType(UnknownVersionException.class)
			.isThrownBy(() -> new FieldReader(written, Formats.SCHEDULE))
			.withMessage("Version 2 of a schedule is stored, but this version of Jobs reads version 1");
	}

	@Test
	void stackAndLogAreKeptApart() {
		Trail trail = TrailRules.failed(TrailRules.failed(
				TrailRules.failed(Trail.EMPTY,
						Attempt.of(1, NOW, "a").withStackTrace("stack\u001e of a").withLog("log of a")),
				Attempt.of(2, NOW, "b").withLog("log of b")), Attempt.of(3, NOW, "c"));
		assertThat(read(written(trail))).isEqualTo(trail);
	}

	@Test
	void longStacksAreKeptCompressed() {
		Trail trail = TrailRules.failed(
				TrailRules.failed(
						TrailRules.failed(
								TrailRules.failed(Trail.EMPTY,
										Attempt.of(1, NOW, "a").withStackTrace(stack('a', 3000)).withLog("log of a")),
								Attempt.of(2, NOW, "b").withStackTrace(stack('\u00fc', 8000))),
						Attempt.of(3, NOW, "c").withLog(stack('c', 2000))),
				Attempt.of(4, NOW, "d").withStackTrace("at short.Stack"));
		byte[] written = written(trail);
		assertThat(written).hasSizeLessThan(10_000);
		assertThat(read(written)).isEqualTo(trail);
	}

	@Test
	void whatOnlyBeginsAsIfItWereCompressedIsReadAsItIs() {
		for (String stack : new String[] { "\u001d", "\u001dshort", "\u001d" + stack('s', 400) }) {
			Trail trail = TrailRules.failed(Trail.EMPTY, Attempt.of(1, NOW, "a").withStackTrace(stack));
			assertThat(read(written(trail))).isEqualTo(trail);
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
		return new FieldWriter(Formats.TRAIL).add("")
			.addRest(Formats.trail(Transition.scheduled(claim, NOW, trail)))
			.toBytes();
	}

	private static Trail read(byte[] trail) {
		byte[] record = new FieldWriter(Formats.JOB).add(NOW).add("").add("q").add("").add(0).toBytes();
		return Formats.job("id", "q", record, trail).job().trail();
	}

	@Test
	void endlessAttemptsAndStacksAreReadWithinABound() {
		String bomb = zlib(1 << 20);
		FieldWriter trail = new FieldWriter(Formats.TRAIL).add("").add(1).add("2000,0,0,0,0").add("").add("");
		for (int i = 1; i <= 2000; i++) {
			trail.add(i)
				.add(Instant.EPOCH)
				.add("")
				.add("w")
				.addOptional("error")
				.addOptional(bytes(bomb))
				.addOptional((String) null);
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
			.mapToObj((i) -> Attempt.of(i, Instant.EPOCH, "error")
				.withStackTrace("\u4e2d".repeat(8000))
				.withLog((i > 7) ? "\u6587".repeat(8000) : null))
			.toList();
		Trail trail = new TrailBuilder().failures(10).attempts(attempts).build();
		byte[] written = Formats.trail(Transition.of("id", "q", 1, Transition.To.DEAD, Instant.EPOCH, trail));
		byte[] stored = new FieldWriter(Formats.TRAIL).add("").addRest(written).toBytes();
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
