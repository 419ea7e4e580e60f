package dev.jobs.query;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.jobs.ScheduleRequest;
import dev.jobs.ScheduleRequest.Overlap;
import dev.jobs.ScheduleStatus;
import dev.jobs.operations.ScheduleOperations;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an operator sends to put a schedule. What is not sent of a schedule that was put
 * stays as it is.
 *
 * @param name the schedule
 * @param fields returns what was sent, by name
 */
public record SentSchedule(String name, Fields fields) {

	/**
	 * Return the schedule that is wanted.
	 * @param schedule the stored one
	 * @return all of it
	 * @throws RefusedException if it makes no sense
	 */
	public ScheduleRequest request(ScheduleOperations schedule) {
		ScheduleRequest before = schedule.request().orElse(null);
		Consumer<ScheduleRequest.Builder> changes = (builder) -> {
			String job = this.fields.get("job");
			String payload = this.fields.get("payload");
			if (before == null || (job != null && !job.equals(before.getJob().getName()))) {
				String known = schedule.status().map(ScheduleStatus::jobName).orElse(this.name);
				builder.job((job != null) ? job : known, (payload != null) ? json("payload", payload) : null);
			}
			else if (payload != null) {
				builder.job(before.getJob().payload(json("payload", payload)));
			}
			with("cron", builder::cron);
			with("zone", builder::zone);
			with("misfire", builder::misfire);
			with("until", (until) -> builder.until(Instant.parse(until)));
			with("jitter", (jitter) -> builder.jitter(DurationStyle.detectAndParse(jitter)));
			with("calendar", builder::calendar);
			with("overlap", (overlap) -> builder.overlap(overlap(overlap)));
		};
		return RefusedException.orRefused(() -> (before != null) ? before.with(changes) : ScheduleRequest.of(changes));
	}

	private void with(String field, Consumer<String> setter) {
		String value = this.fields.get(field);
		if (value != null) {
			try {
				setter.accept(value);
			}
			catch (DateTimeException ex) {
				throw new IllegalArgumentException("'" + field + "' is not understood: '" + value + "'", ex);
			}
		}
	}

	private static Overlap overlap(String text) {
		return Stream.of(Overlap.values())
			.filter((overlap) -> overlap.name().equalsIgnoreCase(text.replace('-', '_')))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("'overlap' must be allow, skip or keep-last"));
	}

	/**
	 * Return the bytes of a text that must be JSON.
	 * @param field the name of the field
	 * @param text the text
	 * @return its bytes
	 * @throws IllegalArgumentException if it is not JSON
	 */
	public static byte[] json(String field, String text) {
		try {
			JsonMapper.shared().readTree(text);
			return text.getBytes(StandardCharsets.UTF_8);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("'" + field + "' must be JSON", ex);
		}
	}

	/**
	 * Returns what was sent.
	 */
	@FunctionalInterface
	public interface Fields {

		/**
		 * Return the text of a field, or {@code null} if it was not sent.
		 * @param name the name of the field
		 * @return its text
		 */
		@Nullable String get(String name);

	}

}
