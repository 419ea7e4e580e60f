package dev.jobs.autoconfigure.handler;

import java.util.List;

import dev.jobs.JobHandler;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobHandlerAotProcessor}.
 */
class JobHandlerAotProcessorTests {

	@Test
	void methodsCanBeCalledAndPayloadsBound() {
		RuntimeHints hints = hints(Exporter.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Exporter.class, "export")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(Report.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Report.class, "title")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Page.class, "number")).accepts(hints);
	}

	@Test
	void otherBeansAreLeftAlone() {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Plain.class, "run"))
			.rejects(hints(Plain.class));
	}

	private static RuntimeHints hints(Class<?> beanType) {
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean(beanType);
			DefaultGenerationContext generation = new DefaultGenerationContext(
					new ClassNameGenerator(ClassName.get("com.example", "Application")), new InMemoryGeneratedFiles());
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
			return generation.getRuntimeHints();
		}
	}

	record Report(String title, List<Page> pages) {

	}

	record Page(int number) {

	}

	static class Exporter {

		@JobHandler("export")
		void export(Report report) {
		}

	}

	static class Plain {

		void run() {
		}

	}

}
