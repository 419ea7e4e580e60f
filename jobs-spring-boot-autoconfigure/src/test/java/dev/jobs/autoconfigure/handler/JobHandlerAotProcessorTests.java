package dev.jobs.autoconfigure.handler;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.jobs.JobHandler;
import dev.jobs.JobLane;
import dev.jobs.JobResult;
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
	void returnedValuesCanBeWritten() {
		RuntimeHints hints = hints(Printer.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Report.class, "title")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Page.class, "number")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(JobResult.class)).rejects(hints);
	}

	/** One that is not registered would not be found, and the job have no lane. */
	@Test
	void methodsThatReturnALaneCanBeCalled() {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Report.class, "lane"))
			.accepts(hints(Exporter.class));
	}

	@Test
	void whatMayStandInAFieldOfAPayloadIsBoundAsWell() {
		RuntimeHints hints = hints(Keeper.class);
		assertThat(List.of(Cat.class, Dog.class, Puppy.class, Circle.class))
			.allSatisfy((type) -> assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(hints));
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Cat.class, "lives")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Name.class, "text")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Circle.class, "radius")).accepts(hints);
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

		@JobLane
		String lane() {
			return this.title;
		}

	}

	record Page(int number) {

	}

	static class Exporter {

		@JobHandler("export")
		void export(Report report) {
		}

	}

	static class Printer {

		@JobHandler("print")
		List<Report> print() {
			return List.of();
		}

		@JobHandler("skip")
		JobResult skip() {
			return JobResult.done();
		}

	}

	record Walk(Animal animal, List<Shape> path) {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	sealed interface Animal {

	}

	record Cat(int lives) implements Animal {

	}

	sealed interface Dog extends Animal {

	}

	record Puppy(Name name) implements Dog {

	}

	record Name(String text) {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes(@JsonSubTypes.Type(Circle.class))
	interface Shape {

	}

	record Circle(double radius) implements Shape {

	}

	static class Keeper {

		@JobHandler("walk")
		void walk(Walk walk) {
		}

	}

	static class Plain {

		void run() {
		}

	}

}
