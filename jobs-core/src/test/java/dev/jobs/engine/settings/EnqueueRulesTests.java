package dev.jobs.engine.settings;

import java.util.List;
import java.util.Map;

import dev.jobs.EnqueueOptions;
import dev.jobs.JobResult;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;
import dev.jobs.serialization.JacksonPayloadSerializer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EnqueueRules}: whatever says that the jobs of a handler are unique,
 * the handler knows it, and so nothing is claimed ahead for it.
 */
class EnqueueRulesTests {

	private static final EnqueueOptions UNIQUE = EnqueueOptions.of((set) -> set.unique(Unique.byPayload()));

	private static final EnqueueOptions NOT_UNIQUE = EnqueueOptions.of((set) -> set.notUnique());

	private static HandlerDefinition handler(Class<?> payloadType, EnqueueOptions rule) {
		return HandlerDefinition.of("work", payloadType, (payload, context) -> JobResult.done()).with(rule);
	}

	private static boolean isUnique(Map<String, EnqueueOptions> configured, HandlerDefinition handler) {
		return isUnique(configured, handler, "work");
	}

	private static boolean isUnique(Map<String, EnqueueOptions> configured, HandlerDefinition handler, String queue) {
		HandlerRegistry registry = new HandlerRegistry(List.of(handler), new JacksonPayloadSerializer(),
				new EnqueueRules(configured));
		HandlerRegistry.Registered registered = registry.find(queue);
		assertThat(registered).isNotNull();
		return registered.unique();
	}

	@Test
	void jobsAreNotUniqueUnlessSomethingSaysSo() {
		assertThat(isUnique(Map.of(), handler(Plain.class, EnqueueOptions.defaults()))).isFalse();
	}

	@Test
	void jobsAreUniqueByTheRuleOfTheirHandler() {
		assertThat(isUnique(Map.of(), handler(Plain.class, UNIQUE))).isTrue();
	}

	@Test
	void jobsAreUniqueByTheTypeOfTheirPayload() {
		assertThat(isUnique(Map.of(), handler(Once.class, EnqueueOptions.defaults()))).isTrue();
	}

	@Test
	void jobsAreUniqueByTheConfigurationOfTheirName() {
		assertThat(isUnique(Map.of("work", UNIQUE), handler(Plain.class, EnqueueOptions.defaults()))).isTrue();
	}

	@Test
	void jobsOfAFormerNameAreUniqueByTheConfigurationOfThatName() {
		HandlerDefinition handler = handler(Plain.class, EnqueueOptions.defaults()).withAliases("former");
		assertThat(isUnique(Map.of("former", UNIQUE), handler, "former")).isTrue();
		assertThat(isUnique(Map.of("former", UNIQUE), handler, "work")).isFalse();
	}

	@Test
	void configurationTakesUniquenessAway() {
		assertThat(isUnique(Map.of("work", NOT_UNIQUE), handler(Once.class, UNIQUE))).isFalse();
	}

	@Test
	void handlerThatSaysNoneIsNotUnique() {
		assertThat(isUnique(Map.of(), handler(Plain.class, NOT_UNIQUE))).isFalse();
	}

	@Test
	void jobsAreNotUniqueIfNoneIsSaidBeforeARule() {
		assertThat(isUnique(Map.of(), handler(Plain.class, NOT_UNIQUE.orElse(UNIQUE)))).isFalse();
		assertThat(isUnique(Map.of(), handler(Plain.class, EnqueueOptions.defaults().orElse(UNIQUE)))).isTrue();
	}

	private record Plain(String id) {

	}

	@UniqueJob
	private record Once(String id) {

	}

}
