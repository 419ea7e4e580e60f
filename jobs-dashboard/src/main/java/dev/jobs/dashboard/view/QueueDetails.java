package dev.jobs.dashboard.view;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.jobs.EnqueueOptions;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Unique;
import dev.jobs.autoconfigure.handler.DeclaredHandler;
import dev.jobs.autoconfigure.handler.SetOption;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.json.Views;
import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * The details on the page of a queue besides its numbers and jobs: how its jobs are run
 * and which place sets that, its schedules, and why its next job does not run.
 *
 * @param operations the operations to read
 * @param handlers the handlers of this process
 * @param clock the time
 */
public record QueueDetails(JobOperations operations, Supplier<List<DeclaredHandler>> handlers, InstantSource clock) {

	/** The options shown even if nothing sets them. */
	private static final List<String> MAIN = List.of("max-attempts", "backoff", "timeout", "max-concurrency",
			"priority");

	/**
	 * Return the details of a queue.
	 * @param name its name
	 * @return the details
	 */
	public ObjectNode of(String name) {
		ObjectNode node = Views.object();
		Instant now = this.clock.instant();
		this.operations.jobs(JobFilter.of((only) -> only.name(name).states(JobState.READY)))
			.page(PageRequest.oldestFirst(1))
			.jobs()
			.stream()
			.findFirst()
			.ifPresent((next) -> putNext(node.putObject("next"), next, now));
		Views.put(node, "schedules",
				this.operations.schedules().stream().filter((schedule) -> schedule.jobName().equals(name)).toList(),
				Views::of);
		this.handlers.get()
			.stream()
			.filter((handler) -> handler.enabled() && handler.serves(name))
			.findFirst()
			.ifPresent((handler) -> putHandler(node, handler));
		return node;
	}

	private void putNext(ObjectNode node, Job next, Instant now) {
		node.put("id", next.id()).put("why", WaitReasonText.of(next, true, this.operations, now));
	}

	private static void putHandler(ObjectNode node, DeclaredHandler handler) {
		node.put("handler", handler.definition().origin());
		Views.put(node, "settings", settings(handler),
				(setting) -> Views.object()
					.put("name", setting.name)
					.put("value", setting.value)
					.put("place", setting.place)
					.put("origin", setting.origin));
	}

	private static Collection<Setting> settings(DeclaredHandler handler) {
		Map<String, String> effective = effective(handler.definition().options());
		Map<String, String> builtIn = effective(HandlerOptions.defaults());
		Map<String, Setting> settings = new LinkedHashMap<>();
		MAIN.forEach((name) -> settings.put(name, Setting.builtIn(name, builtIn.getOrDefault(name, "polynomial"))));
		for (SetOption option : handler.set()) {
			settings.put(option.name(), new Setting(option.name(), text(option.value()),
					option.place().name().toLowerCase(Locale.ROOT), option.origin()));
		}
		if (settings.keySet().stream().anyMatch((name) -> name.startsWith("backoff."))) {
			settings.remove("backoff");
		}
		putPayloadType(settings, handler);
		// An option that differs from every setting was changed by a customizer.
		effective.forEach((name, value) -> {
			Setting set = settings.getOrDefault(name, Setting.builtIn(name, builtIn.getOrDefault(name, "")));
			if (!set.value.equals(value)) {
				settings.put(name, new Setting(name, value, "customizer", null));
			}
		});
		return settings.values();
	}

	/**
	 * Put the settings of the payload's type, which count more than the handler's and
	 * less than the properties of the name.
	 */
	private static void putPayloadType(Map<String, Setting> settings, DeclaredHandler handler) {
		if (!(handler.definition().payloadType() instanceof Class<?> type)) {
			return;
		}
		EnqueueOptions rule = EnqueueRules.ofType(type);
		Map<String, Object> ofType = new LinkedHashMap<>();
		if (rule.getMaxWaiting() != null) {
			ofType.put("max-waiting", rule.getMaxWaiting());
		}
		Unique unique = rule.getUnique();
		if (unique != null && !isProperty(settings, "unique.mode")) {
			settings.keySet().removeIf((name) -> name.startsWith("unique."));
			ofType.put("unique.mode", unique.getMode());
			ofType.put("unique.scope", unique.getScope());
			ofType.put("unique.window", Objects.requireNonNullElse(unique.getWindow(), Duration.ZERO));
			ofType.put("unique.on-duplicate", unique.getOnDuplicate());
		}
		if (!rule.getTags().isEmpty()) {
			ofType.put("tags", rule.with((set) -> set.tags(handler.definition().rule().getTags())).getTags());
		}
		ofType.forEach((name, value) -> {
			if (!isProperty(settings, name)) {
				settings.put(name, new Setting(name, text(value), "payload-type", type.getName()));
			}
		});
	}

	private static boolean isProperty(Map<String, Setting> settings, String name) {
		Setting set = settings.get(name);
		return set != null && set.place.equals("property");
	}

	private static Map<String, String> effective(HandlerOptions options) {
		Map<String, String> values = new LinkedHashMap<>();
		values.put("max-attempts", text(options.getRetryPolicy().getMaxAttempts()));
		values.put("timeout", text(Objects.requireNonNullElse(options.getTimeout(), Duration.ZERO)));
		values.put("max-concurrency", text(options.getMaxConcurrency()));
		values.put("local-concurrency", text(options.getLocalConcurrency()));
		values.put("priority", text(options.getPriority()));
		values.put("keep-history", text(options.isKeepHistory()));
		values.put("keep-result", text(Objects.requireNonNullElse(options.getKeepResult(), Duration.ZERO)));
		values.put("keep-dead", text(options.getRetryPolicy().isKeepDead()));
		values.put("on-exception", text(options.getRetryPolicy().getOnException()));
		values.put("snooze-delay", text(options.getRetryPolicy().getSnoozeDelay()));
		values.put("max-crashes", text(options.getRetryPolicy().getMaxCrashes()));
		values.put("transactional", text(options.isTransactional()));
		return values;
	}

	/**
	 * Return a value as written in a properties file.
	 */
	private static String text(Object value) {
		if (value instanceof Duration duration) {
			return duration.isZero() ? "0" : DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
		}
		if (value instanceof Enum<?> constant) {
			return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
		}
		if (value instanceof Class<?> type) {
			return type.getSimpleName();
		}
		if (value instanceof Collection<?> all) {
			return all.stream().map(QueueDetails::text).collect(Collectors.joining(", "));
		}
		return value.toString();
	}

	/**
	 * A setting as it is shown.
	 *
	 * @param name its name
	 * @param value its value
	 * @param place the place that sets it
	 * @param origin its exact origin, or {@code null} if it is not known
	 */
	private record Setting(String name, String value, String place, @Nullable String origin) {

		static Setting builtIn(String name, String value) {
			return new Setting(name, value, "built-in", null);
		}

	}

}
