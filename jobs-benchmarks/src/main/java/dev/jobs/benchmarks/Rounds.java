package dev.jobs.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Measures the engine and its floor in turns, so that whatever else the machine does
 * meets both, after a warm-up that does not count. A ratio is that of two neighbouring
 * measurements.
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
		List<List<Reading>> jobs = new ArrayList<>();
		List<List<Reading>> floor = new ArrayList<>();
		this.progress.accept(suite.title() + ": warm-up");
		suite.warmUp(this.target.jobs(), this.options);
		suite.warmUp(this.target.floor(), this.options);
		for (int round = 1; round <= this.options.rounds(); round++) {
			String text = suite.title() + ": round " + round + " of " + this.options.rounds();
			this.progress.accept(text + ", jobs");
			jobs.add(suite.measure(this.target.jobs(), this.options));
			this.progress.accept(text + ", floor");
			floor.add(suite.measure(this.target.floor(), this.options));
		}
		this.progress.accept("");
		return figures(suite.title(), jobs, floor);
	}

	private List<Figure> figures(String suite, List<List<Reading>> jobs, List<List<Reading>> floor) {
		List<Figure> figures = new ArrayList<>();
		for (int i = 0; i < jobs.get(0).size(); i++) {
			Reading first = jobs.get(0).get(i);
			List<Double> ofJobs = values(jobs, i);
			List<Double> ofFloor = values(floor, i);
			figures.add(figure(suite, "jobs", first.metric(), first.metric(), first.unit(), ofJobs));
			figures.add(figure(suite, "floor", first.metric(), first.metric(), first.unit(), ofFloor));
			if (ofFloor.stream().allMatch((value) -> value > 0)) {
				List<Double> ratios = new ArrayList<>();
				for (int round = 0; round < ofJobs.size(); round++) {
					ratios.add(ofJobs.get(round) / ofFloor.get(round));
				}
				figures.add(figure(suite, "jobs", Figure.RATIO, first.metric(), "of floor", ratios));
			}
		}
		return figures;
	}

	private Figure figure(String suite, String subject, String metric, String of, String unit, List<Double> values) {
		return new Figure(suite, this.options.store(), subject, metric, of, unit, Spread.of(values));
	}

	private static List<Double> values(List<List<Reading>> rounds, int position) {
		return rounds.stream().map((readings) -> readings.get(position).value()).toList();
	}

}
