package dev.jobs.autoconfigure.handler;

import dev.jobs.autoconfigure.handler.producer.Producer;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobTypeAotProcessor}.
 */
class JobTypeAotProcessorTests {

	private static final RuntimeHints HINTS = hints();

	@Test
	void payloadsThatAreOnlyEnqueuedAreBound() {
		assertThat(RuntimeHintsPredicates.reflection().onType(nested("Order"))).accepts(HINTS);
		assertThat(RuntimeHintsPredicates.reflection().onType(nested("Item"))).accepts(HINTS);
	}

	@Test
	void implementationsOfANamedInterfaceAreBound() {
		assertThat(RuntimeHintsPredicates.reflection().onType(nested("ByCard"))).accepts(HINTS);
	}

	@Test
	void otherTypesAreLeftAlone() {
		assertThat(RuntimeHintsPredicates.reflection().onType(nested("Unrelated"))).rejects(HINTS);
	}

	private static TypeReference nested(String name) {
		return TypeReference.of(Producer.class.getName() + "$" + name);
	}

	private static RuntimeHints hints() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(Producer.class);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get("com.example", "Application")), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			return generation.getRuntimeHints();
		}
	}

}
