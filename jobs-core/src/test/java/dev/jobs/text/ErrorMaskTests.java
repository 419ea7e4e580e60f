package dev.jobs.text;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for {@link ErrorMask}.
 */
class ErrorMaskTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~',
			textBlock = """
					java.lang.IllegalStateException: Card of account 1323 was declined | java.lang.IllegalStateException: Card of account <number> was declined
					No image 3f2504e0-4f89-41d3-9a0c-0305e82c3301 | No image <id>
					Timed out after 1,500.25 ms at 127.0.0.1:8080 | Timed out after <number> ms at <number>
					It is -3 or +4 | It is <number> or <number>
					com.shop.HttpStatus4Exception: 404 Not Found: [no body] | com.shop.HttpStatus4Exception: <number> Not Found: [no body]
					GET https://api.shop.example/orders/17?token=x failed | GET <url> failed
					See (http://x.example/a) and 'my "file" 7' | See (<url>) and '…'
					Cannot read "order-17.json" | Cannot read "…"
					can't open it, don't ask | can't open it, don't ask
					Unexpected token at 0x7ffde10 in 4a5b6c7d8e9f | Unexpected token at <id> in <id>
					com.shop.Order@4382f94 is unknown | com.shop.Order@<id> is unknown
					Mail to ada.l@shop.example bounced | Mail to <address> bounced
					Job 01k3xq9d7m2b4cparn8j6ve5zt of order-17 took 500ms | Job <id> of order-<number> took <number>ms
					It was 2026-01-31T12:00:00.123Z, or 2026-01-31 12:00:00 | It was <number>, or <number>
					Ids [1, 22, 333] and 7,8,9 | Ids [<number>] and <number>
					It broke   in two | It broke in two
					java.util.NoSuchElementException | java.util.NoSuchElementException
					""")
	void whatDiffersFromJobToJobIsMasked(String error, String masked) {
		assertThat(ErrorMask.of(error)).isEqualTo(masked);
	}

	@Test
	void errorsOfOneKindAreOneWhateverTheyAreAbout() {
		Random random = new Random(7);
		String first = error(random);
		for (int i = 0; i < 2000; i++) {
			String error = error(random);
			assertThat(ErrorMask.of(error)).as(error).isEqualTo(ErrorMask.of(first));
		}
	}

	private static String error(Random random) {
		String id = new UUID(random.nextLong(), random.nextLong()).toString();
		String hex = "%016x".formatted(random.nextLong());
		return "com.shop.DeclinedException: Order %d of %s (%s, etag %s) at https://x.example/%d/%s said \"%s\", code %d"
			.formatted(random.nextInt(1, 1_000_000), id, random.nextInt(256) + "." + random.nextInt(256) + ".0.1",
					"1f" + hex, random.nextInt(99), id, words(random), -random.nextInt(1000));
	}

	private static String words(Random random) {
		return List.of("a", "it's", "no, 7", "", "x".repeat(random.nextInt(50))).get(random.nextInt(5));
	}

	@Test
	void errorsOfDifferentKindsStayDifferent() {
		assertThat(List
			.of("java.io.IOException: a", "java.io.IOException: b", "java.io.EOFException: a", "Card was declined",
					"Card was refused")
			.stream()
			.map(ErrorMask::of)).doesNotHaveDuplicates();
	}

	@Test
	void whatIsMaskedIsNotMaskedAgain() {
		Random random = new Random(11);
		for (int i = 0; i < 500; i++) {
			String masked = ErrorMask.of(error(random));
			assertThat(ErrorMask.of(masked)).isEqualTo(masked);
		}
	}

	@Test
	void anyTextIsMaskedAndGrowsNoMoreThanItsPlaceholders() {
		Random random = new Random(13);
		String signs = "a1'\"`“”‘’«»@.-_+$:/,…\u0000\ud83d\ude00\ud83d \t<>0x()eE";
		for (int i = 0; i < 20_000; i++) {
			StringBuilder text = new StringBuilder();
			for (int length = random.nextInt(40); length > 0; length--) {
				text.append(signs.charAt(random.nextInt(signs.length())));
			}
			assertThatCode(() -> ErrorMask.of(text.toString())).as(text.toString()).doesNotThrowAnyException();
			assertThat(ErrorMask.of(text.toString()).length()).isLessThanOrEqualTo(9 * text.length() + 9);
		}
	}

	/** What took the square of its length would take hours for a million characters. */
	@ParameterizedTest
	@ValueSource(strings = { "'", "\"", "“", "' ", "'a", "x'x", "a@", "@", "1", "a1", "1a", "1,", "-", "0x", "a.", ": ",
			"://", "a://", "http://x ", "f", "“‘«", "…", "1 ", "a1-", "\t", "$$", "Exception:" })
	void hostileTextIsMaskedInLinearTime(String part) {
		String text = part.repeat(1_000_000 / part.length());
		assertTimeoutPreemptively(Duration.ofSeconds(20), () -> ErrorMask.of(text));
		assertTimeoutPreemptively(Duration.ofSeconds(20), () -> ErrorMask.of(text + "…"));
	}

}
