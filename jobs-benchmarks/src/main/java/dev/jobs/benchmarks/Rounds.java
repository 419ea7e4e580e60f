package dev.jobs.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.benchmarks.subject.Subject;
import dev.jobs.benchmarks.subject.Target;

/**
 * Measures the engine and what it is compared with in turns, so that whatever else the
 * machine does meets all, after a warm-up that does not count. A ratio is that of two
 * neighbouring measurements.
 */
final class Rounds {

	private final Target target;

	private final Options options;

	private final Consumer<String> progress;

	Rounds(Target target, Options options, Consumer<String> progress) {
		this.target = target;
		this.options = options;
		this.progress = progress;
	}

	List<Figure> of(Suite suite) {
		List<Course> courses = suite.subjects(this.target)
			.entrySet()
			.stream()
			.map((subject) -> new Course(subject.getKey(), subject.getValue(), new ArrayList<>()))
			.toList();
		for (Course course : courses) {
			this.progress.accept(suite.title() + ": warm-up, " + course.name());
			suite.warmUp(this.target, course.subject(), this.options);
		}
		for (int round = 1; round <= this.options.rounds(); round++) {
			for (Course course : courses) {
				this.progress
					.accept(suite.title() + ": round " + round + " of " + this.options.rounds() + ", " + course.name());
				course.rounds().add(suite.measure(this.target, course.subject(), this.options));
			}
		}
		this.progress.accept("");
		return figures(suite.title(), courses.get(0), courses.subList(1, courses.size()));
	}

	private List<Figure> figures(String suite, Course jobs, List<Course> others) {
		List<Figure> figures = new ArrayList<>();
		for (Reading reading : jobs.rounds().get(0)) {
			String metric = reading.metric();
			List<Double> ofJobs = jobs.values(metric);
			List<Figure> ratios = new ArrayList<>();
			figures.add(figure(suite, jobs.name(), metric, metric, reading.unit(), ofJobs));
			for (Course other : others) {
				List<Double> ofOther = other.values(metric);
				if (!ofOther.isEmpty()) {
					figures.add(figure(suite, other.name(), metric, metric, reading.unit(), ofOther));
				}
				if (!ofOther.isEmpty() && ofOther.stream().allMatch((value) -> value > 0)) {
					ratios.add(figure(suite, jobs.name(), Figure.RATIO, metric, "of " + other.name(),
							ratios(ofJobs, ofOther)));
				}
			}
			figures.addAll(ratios);
		}
		return figures;
	}

	private static List<Double> ratios(List<Double> values, List<Double> others) {
		return IntStream.range(0, values.size()).mapToObj((i) -> values.get(i) / others.get(i)).toList();
	}

	private Figure figure(String suite, String subject, String metric, String of, String unit, List<Double> values) {
		return new Figure(suite, this.options.store(), subject, metric, of, unit, Spread.of(values));
	}

	/**
	 * What one subject did so far.
	 *
	 * @param name its name
	 * @param subject the subject
	 * @param rounds its readings, round by round
	 */
	private record Course(String name, Subject subject, List<List<Reading>> rounds) {

		List<Double> values(String metric) {
			return this.rounds.stream()
				.flatMap(List::stream)
				.filter((reading) -> reading.metric().equals(metric))
				.map(Reading::value)
				.toList();
		}

	}

}
