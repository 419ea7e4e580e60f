package dev.jobs.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.jobs.benchmarks.load.Payload;

/**
 * One result of a benchmark.
 *
 * @param suite the suite
 * @param store the kind of store
 * @param subject {@code jobs}, {@code floor}, {@code shared}, {@code store} or the name
 * of a peer
 * @param metric what was measured; {@code ratio} for one of jobs to another subject
 * @param of of which metric it is a ratio; or the metric itself
 * @param unit the unit
 * @param spread the values
 */
record Figure(String suite, String store, String subject, String metric, String of, String unit, Spread spread) {

	static final String RATIO = "ratio";

	/**
	 * Return this as a JSON object on one line.
	 * @return the line, without its end
	 */
	String json() {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("suite", this.suite);
		json.put("store", this.store);
		json.put("subject", this.subject);
		json.put("metric", this.metric);
		if (this.metric.equals(RATIO)) {
			json.put("of", this.of);
		}
		json.put("value", this.spread.median());
		json.put("unit", this.unit);
		json.put("min", this.spread.min());
		json.put("max", this.spread.max());
		return new String(Payload.SERIALIZER.write(json, Integer.MAX_VALUE), StandardCharsets.UTF_8);
	}

}
