package dev.jobs.cron;

import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes up cron expressions with every form of their fields.
 */
final class RandomCron {

	private final Random random;

	private RandomCron(Random random) {
		this.random = random;
	}

	static String expression(Random random) {
		return new RandomCron(random).expression();
	}

	private String expression() {
		return Stream
			.<String>of(mostly("0", field(0, 59)), mostly("0", field(0, 59)), mostly("0", field(0, 23)),
					mostly("*", dayOfMonth()), mostly("*", field(1, 12)), mostly("*", dayOfWeek()))
			.collect(Collectors.joining(" "));
	}

	private String mostly(String usual, String other) {
		return this.random.nextBoolean() ? usual : other;
	}

	private int between(int first, int last) {
		return first + this.random.nextInt(last - first + 1);
	}

	private String range(int first, int last) {
		int one = between(first, last);
		return one + "-" + between(one, last);
	}

	private String part(int first, int last) {
		return switch (this.random.nextInt(6)) {
			case 0 -> "*/" + between(1, last);
			case 1 -> range(first, last);
			case 2 -> range(first, last) + "/" + between(1, 10);
			case 3 -> between(first, last) + "/" + between(1, 20);
			default -> Integer.toString(between(first, last));
		};
	}

	private String field(int first, int last) {
		return list(() -> part(first, last));
	}

	private String list(Supplier<String> part) {
		return Stream.generate(part).limit(between(1, 3)).collect(Collectors.joining(","));
	}

	private String dayOfMonth() {
		return switch (this.random.nextInt(7)) {
			case 0 -> "L";
			case 1 -> "L-" + between(1, 31);
			case 2 -> between(1, 31) + "W";
			case 3 -> "LW";
			case 4 -> list(() -> "L-" + between(1, 31)) + "," + between(1, 31);
			default -> field(1, 31);
		};
	}

	private String dayOfWeek() {
		return switch (this.random.nextInt(5)) {
			case 0 -> between(0, 7) + "L";
			case 1 -> between(0, 7) + "#" + between(1, 5);
			case 2 -> "MON-FRI";
			default -> field(0, 7);
		};
	}

}
