package dev.jobs.autoconfigure.handler;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.JobHandler;
import dev.jobs.RetryPolicy.OnException;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;
import dev.jobs.autoconfigure.properties.HandlerSettings;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link HandlerSettings} as properties and annotations set them.
 */
class HandlerSettingsTests {

	/** By option, what the defaults, the annotation and the properties set. */
	private static final Map<String, String[]> VALUES = Map.ofEntries(row("enabled", null, null, "false"),
			row("aliases", null, "annotated", "configured"), row("cron", null, "@daily", "@hourly"),
			row("zone", "Asia/Tokyo", "Europe/Paris", "UTC"), row("misfire", "run-once", "skip", "run-all:3"),
			row("priority", "7", "8", "9"), row("max-attempts", "7", "8", "9"), row("timeout", "7s", "8s", "9s"),
			row("max-concurrency", "7", "8", "9"), row("local-concurrency", "7", "8", "9"),
			row("rate", "7/1s", "8/1s", "none"), row("lanes.rate", "7/1m", "8/1m", "9/1m"),
			row("lanes.max-concurrency", "7", "8", "9"), row("lanes.ordered", "false", "true", "false"),
			row("lanes.max-waiting", "7", "8", "9"), row("lanes.weights", "a=7", "a=8", "a=9"),
			row("lanes.on-dead", "hold", "skip", "hold"), row("max-waiting", "7", "8", "9"),
			row("wait-for-room", "7s", "8s", "9s"), row("expires-in", "7s", "8s", "9s"),
			row("deadline-in", "7s", "8s", "9s"), row("on-expiry", "discard", "dead", "discard"),
			row("unique.mode", "until-done", "until-started", "none"),
			row("unique.scope", "handler", "namespace", "handler"), row("unique.window", "7s", "8s", "9s"),
			row("unique.on-duplicate", "keep", "replace", "replace-and-reschedule"),
			row("tags", "team:a", "team:b", "team:c"), row("urgency", "high", "low", "urgent"),
			row("keep-history", "false", "true", "false"), row("keep-result", "7h", "8h", "9h"),
			row("keep-dead", "true", "false", "true"), row("on-exception", "retry", "fail", "retry"),
			row("no-retry-for", "java.lang.Error", "java.lang.IllegalStateException", "java.io.IOException"),
			row("backoff.type", "polynomial", "exponential", "fixed"), row("backoff.delay", "7s", "8s", "9s"),
			row("backoff.max-delay", "7m", "8m", "9m"), row("backoff.multiplier", "7", "8.5", "9"),
			row("backoff.jitter", "0.7", "0.8", "0.9"), row("backoff.bean", "first", "second", "third"),
			row("snooze-delay", "7s", "8s", "9s"), row("max-crashes", "7", "8", "9"),
			row("transactional", "true", "false", "true"));

	@Test
	void everyOptionIsTested() {
		assertThat(VALUES.keySet()).containsExactlyInAnyOrderElementsOf(options(HandlerSettings.class, "").toList());
	}

	@ParameterizedTest
	@MethodSource("defaults")
	void defaultHoldsWhereNothingElseIsSet(String option, String value) {
		assertThat(resolved("nothing", Map.of("jobs.defaults." + option, value), option))
			.isEqualTo(converted(option, value));
	}

	@ParameterizedTest
	@MethodSource("annotated")
	void annotationOutweighsDefaults(String option, @Nullable String byDefault, String value) {
		Map<String, String> properties = (byDefault != null) ? Map.of("jobs.defaults." + option, byDefault) : Map.of();
		assertThat(resolved("everything", properties, option)).isEqualTo(converted(option, value));
	}

	@ParameterizedTest
	@MethodSource("configured")
	void propertyOutweighsAnnotation(String option, String value) {
		assertThat(resolved("everything", Map.of("jobs.handlers.everything." + option, value), option))
			.isEqualTo(converted(option, value));
	}

	@ParameterizedTest
	@MethodSource("ofRunsAndEnqueues")
	void everyOptionOfRunsAndEnqueuesReachesTheEngine(String option) {
		Backoff backoff = Backoff.fixed(Duration.ofSeconds(1));
		assertThat(Stream.of(VALUES.get(option)).filter(Objects::nonNull).map((text) -> bound(option, text)))
			.anySatisfy((settings) -> assertThat(List.of(settings.options(backoff), settings.rule(settings)))
				.isNotEqualTo(List.of(HandlerSettings.UNSET.options(backoff),
						HandlerSettings.UNSET.rule(HandlerSettings.UNSET))));
	}

	@Test
	void valueThatIsBuiltInOutweighsDefaultsWhereItIsSet() {
		HandlerSettings settings = resolve("built-in", Map.ofEntries(Map.entry("jobs.defaults.priority", "9"),
				Map.entry("jobs.defaults.max-attempts", "9"), Map.entry("jobs.defaults.timeout", "9s"),
				Map.entry("jobs.defaults.max-concurrency", "9"), Map.entry("jobs.defaults.local-concurrency", "9"),
				Map.entry("jobs.defaults.rate", "9/1s"), Map.entry("jobs.defaults.lanes.rate", "9/1s"),
				Map.entry("jobs.defaults.lanes.max-concurrency", "9"),
				Map.entry("jobs.defaults.lanes.max-waiting", "9"), Map.entry("jobs.defaults.max-waiting", "9"),
				Map.entry("jobs.defaults.zone", "Asia/Tokyo"), Map.entry("jobs.defaults.misfire", "skip"),
				Map.entry("jobs.defaults.transactional", "true"), Map.entry("jobs.defaults.keep-dead", "false"),
				Map.entry("jobs.defaults.keep-history", "true"), Map.entry("jobs.defaults.keep-result", "9h"),
				Map.entry("jobs.defaults.on-exception", "fail"), Map.entry("jobs.defaults.backoff.delay", "9s"),
				Map.entry("jobs.defaults.backoff.max-delay", "9s"), Map.entry("jobs.defaults.backoff.multiplier", "9"),
				Map.entry("jobs.defaults.backoff.jitter", "0.9")));
		Backoff backoff = Backoff.fixed(Duration.ofSeconds(1));
		assertThat(settings.options(backoff)).isEqualTo(HandlerSettings.UNSET.options(backoff));
		assertThat(settings.maxWaiting()).isZero();
		assertThat(settings.zoneOrUtc()).hasToString("UTC");
		assertThat(settings.misfireRule()).hasToString("run-once");
		assertThat(settings.backoff()).isEqualTo(new HandlerSettings.BackoffSettings(HandlerSettings.BackoffType.FIXED,
				Duration.ofSeconds(5), Duration.ofDays(1), 2.0, 0.0, null));
	}

	@Test
	void partOfAGroupIsCompletedFromWeakerLayers() {
		HandlerSettings settings = resolve("everything", Map.of("jobs.handlers.everything.unique.window", "1h"));
		assertThat(settings.rule(settings).getUnique()).isEqualTo(Unique.byPayload((rule) -> rule.untilStarted()
			.acrossHandlers()
			.window(Duration.ofHours(1))
			.onDuplicate(Unique.OnDuplicate.REPLACE)));
	}

	@Test
	void textThatIsNoBooleanOrConstantIsRefused() {
		assertThat(catchThrowable(() -> resolve("misspelled", Map.of())))
			.isInstanceOf(InvalidJobsConfigurationException.class)
			.hasMessageContaining("misspelled() is not valid:")
			.hasMessageContaining("'keepHistory' must be true or false but was \"maybe\"")
			.hasMessageContaining("'keepResult' must be from 0 to 365 days but was PT8784H")
			.hasMessageContaining("'onException' must be one of retry, fail but was \"die\"")
			.hasMessageContaining("'urgency' must be one of urgent, high, normal, low but was \"now\"");
	}

	/** So that Kotlin, too, takes one value without brackets. */
	@Test
	void onlyListsAreArrays() {
		assertThat(Stream.of(JobHandler.class, JobHandler.RetryDelay.class)
			.flatMap((type) -> Stream.of(type.getDeclaredMethods()))
			.filter((attribute) -> attribute.getReturnType().isArray())
			.map(Method::getName)).containsExactlyInAnyOrder("aliases", "tags", "noRetryFor");
	}

	private static Stream<Arguments> defaults() {
		return rows(0).map((option) -> Arguments.of(option, VALUES.get(option)[0]));
	}

	private static Stream<Arguments> annotated() {
		return rows(1).map((option) -> Arguments.of(option, VALUES.get(option)[0], VALUES.get(option)[1]));
	}

	private static Stream<Arguments> configured() {
		return rows(2).map((option) -> Arguments.of(option, VALUES.get(option)[2]));
	}

	private static Stream<String> ofRunsAndEnqueues() {
		return VALUES.keySet()
			.stream()
			.filter((option) -> !option.startsWith("backoff."))
			.filter((option) -> !Set.of("enabled", "aliases", "cron", "zone", "misfire").contains(option))
			.sorted();
	}

	private static Stream<String> rows(int column) {
		return VALUES.keySet().stream().filter((option) -> VALUES.get(option)[column] != null).sorted();
	}

	private static Map.Entry<String, String[]> row(String option, @Nullable String byDefault,
			@Nullable String annotated, String configured) {
		return Map.entry(option, new String[] { byDefault, annotated, configured });
	}

	private static Stream<String> options(Class<?> layer, String group) {
		return Stream.of(layer.getRecordComponents())
			.flatMap((component) -> component.getType().isRecord()
					? options(component.getType(), dashed(component) + ".") : Stream.of(group + dashed(component)));
	}

	private static String dashed(RecordComponent component) {
		return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

	private static @Nullable Object resolved(String handler, Map<String, String> properties, String option) {
		String name = (handler.equals("everything") && option.equals("backoff.bean")) ? "with-bean" : handler;
		Map<String, String> named = new HashMap<>();
		properties.forEach((property, value) -> named.put(property.replace("everything", name), value));
		return value(resolve(name, named), option);
	}

	private static HandlerSettings resolve(String handler, Map<String, String> properties) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		Stream.of("first", "second", "third")
			.forEach((bean) -> beans.registerSingleton(bean, Backoff.fixed(Duration.ofSeconds(1))));
		JobsProperties bound = new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("jobs",
				JobsProperties.class);
		return Stream.of(Handlers.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(JobHandler.class))
			.filter((method) -> method.getAnnotation(JobHandler.class).value().equals(handler))
			.map((method) -> new HandlerResolver(beans, bound).resolve(HandlerMethod.of(Handlers.class, method),
					method.getAnnotation(JobHandler.class), (payload, context) -> null, "test"))
			.findFirst()
			.orElseThrow()
			.settings();
	}

	private static @Nullable Object converted(String option, String text) {
		return value(bound(option, text), option);
	}

	private static HandlerSettings bound(String option, String text) {
		return new Binder(new MapConfigurationPropertySource(Map.of("x." + option, text)))
			.bind("x", HandlerSettings.class)
			.get();
	}

	private static @Nullable Object value(Object layer, String option) {
		Object value = layer;
		for (String part : option.split("\\.")) {
			RecordComponent component = Stream.of(Objects.requireNonNull(value).getClass().getRecordComponents())
				.filter((candidate) -> dashed(candidate).equals(part))
				.findFirst()
				.orElseThrow();
			value = ReflectionUtils.invokeMethod(component.getAccessor(), value);
		}
		return value;
	}

	static class Handlers {

		@JobHandler("nothing")
		void nothing() {
		}

		@JobHandler(value = "everything", aliases = "annotated", cron = "@daily", zone = "Europe/Paris",
				misfire = "skip", priority = 8, maxAttempts = 8, timeout = "8s", maxConcurrency = 8,
				localConcurrency = 8, rate = "8/1s",
				lanes = @JobHandler.Lanes(maxConcurrency = 8, ordered = true, onDead = "skip", rate = "8/1m",
						maxWaiting = 8, weights = "a=8"),
				maxWaiting = 8, waitForRoom = "8s", expiresIn = "8s", deadlineIn = "8s", onExpiry = "dead",
				tags = "team:b", urgency = "low", keepHistory = "true", keepResult = "8h", keepDead = "false",
				onException = "fail", noRetryFor = IllegalStateException.class,
				backoff = @JobHandler.RetryDelay(type = "exponential", delay = "8s", maxDelay = "8m", multiplier = 8.5,
						jitter = 0.8),
				snoozeDelay = "8s", maxCrashes = 8, transactional = "false")
		@UniqueJob(value = Unique.Mode.UNTIL_STARTED, scope = Unique.Scope.NAMESPACE, window = "8s",
				onDuplicate = Unique.OnDuplicate.REPLACE)
		void everything() {
		}

		@JobHandler(value = "with-bean", backoff = @JobHandler.RetryDelay(bean = "second"))
		void withBean() {
		}

		@JobHandler(value = "built-in", zone = "UTC", misfire = "run-once", priority = 1, maxAttempts = 12,
				timeout = "0", maxConcurrency = 0, localConcurrency = 0, rate = "none",
				lanes = @JobHandler.Lanes(maxConcurrency = 0, rate = "none", maxWaiting = 0), maxWaiting = 0,
				keepHistory = "false", keepResult = "0", keepDead = "true", onException = "retry",
				backoff = @JobHandler.RetryDelay(type = "fixed", delay = "5s", maxDelay = "1d", multiplier = 2,
						jitter = 0),
				transactional = "false")
		void builtIn() {
		}

		@JobHandler(value = "misspelled", urgency = "now", keepHistory = "maybe", keepResult = "366d",
				onException = "die")
		void misspelled() {
		}

	}

}
