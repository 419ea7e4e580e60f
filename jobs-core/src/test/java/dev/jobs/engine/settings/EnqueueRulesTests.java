package dev.jobs.engine.settings;

import java.util.List;
import java.util.Map;

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

	private static final EnqueueRule UNIQUE = new EnqueueRule(Unique.byPayload(), null, null);

	private static final EnqueueRule NOT_UNIQUE = new EnqueueRule(Uniqueness.NONE, null, null, List.of());

	private static HandlerDefinition handler(Class<?> payloadType, EnqueueRule rule) {
		return HandlerDefinition.of("work", payloadType, (payload, context) -> JobResult.done()).with(rule);
	}

	private static boolean isUnique(Map<String, EnqueueRule> configured, HandlerDefinition handler) {
		return isUnique(configured, handler, "work");
	}

	private static boolean isUnique(Map<String, EnqueueRule> configured, HandlerDefinition handler, String queue) {
		HandlerRegistry registry = new HandlerRegistry(List.of(handler), new JacksonPayloadSerializer(),
				new EnqueueRules(configured));
		HandlerRegistry.Registered registered = registry.find(queue);
		assertThat(registered).isNotNull();
		return registered.unique();
	}

	@Test
	void jobsAreNotUniqueUnlessSomethingSaysSo() {
		assertThat(isUnique(Map.of(), handler(Plain.class, EnqueueRule.NONE))).isFalse();
	}

	@Test
	void jobsAreUniqueByTheRuleOfTheirHandler() {
		assertThat(isUnique(Map.of(), handler(Plain.class, UNIQUE))).isTrue();
	}

	@Test
	void jobsAreUniqueByTheTypeOfTheirPayload() {
		assertThat(isUnique(Map.of(), handler(Once.class, EnqueueRule.NONE))).isTrue();
	}

	@Test
	void jobsAreUniqueByTheConfigurationOfTheirName() {
		assertThat(isUnique(Map.of("work", UNIQUE), handler(Plain.class, EnqueueRule.NONE))).isTrue();
	}

	@Test
	void jobsOfAFormerNameAreUniqueByTheConfigurationOfThatName() {
		HandlerDefinition handler = handler(Plain.class, EnqueueRule.NONE).withAliases("former");
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
		assertThat(isUnique(Map.of(), handler(Plain.class, NOT_UNIQUE.or(UNIQUE)))).isFalse();
		assertThat(isUnique(Map.of(), handler(Plain.class, EnqueueRule.NONE.or(UNIQUE)))).isTrue();
	}

	private record Plain(String id) {

	}

	@UniqueJob
	private record Once(String id) {

	}

}
