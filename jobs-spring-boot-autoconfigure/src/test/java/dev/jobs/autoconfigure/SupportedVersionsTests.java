package dev.jobs.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for the versions of Spring Boot and Jackson that Jobs starts on.
 */
class SupportedVersionsTests {

	@TempDir
	private Path directory;

	@Test
	void applicationOnSpringBootThreeIsToldWhatItNeeds() throws Exception {
		try (ApplicationProcess worker = ApplicationProcess.startBehind(springBoot("3.5.7"), this.directory,
				WorkerApplication.class, List.of())) {
			assertThat(worker.awaitEnd()).isOne();
			assertThat(worker.output()).contains("APPLICATION FAILED TO START")
				.contains("Jobs needs Spring Boot 4.0.0 or later, but this application has 3.5.7.")
				.contains("Update Spring Boot.")
				.doesNotContain("\tat ");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "4.0.0", "4.1.2", "4.2.0-M1", "5.0.0", "10.1.0" })
	void laterVersionsAreNotRefused(String version) {
		assertThatNoException().isThrownBy(() -> SupportedVersions.check(version));
	}

	@Test
	void partsOfJacksonThatDoNotFitAreNamed() {
		assertThat(analysis(new NoClassDefFoundError("com/fasterxml/jackson/annotation/JsonSerializeAs"))).isNotNull();
		NoSuchFieldError error = new NoSuchFieldError("SOME_FEATURE");
		error.setStackTrace(new StackTraceElement[] {
				new StackTraceElement("dev.jobs.serialization.PayloadFormat", "builder", "PayloadFormat.java", 1) });
		FailureAnalysis analysis = analysis(new IllegalStateException(error));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription())
			.containsPattern("databind is 3\\.\\d+\\.\\d+, core 3\\.\\d+\\.\\d+, annotations 2\\.\\d+")
			.endsWith("Missing is SOME_FEATURE.");
	}

	@Test
	void classesOfOthersThatAreMissingAreNotBlamedOnJackson() {
		assertThat(analysis(new NoClassDefFoundError("com/example/Invoice"))).isNull();
		assertThat(analysis(new NoSuchFieldError("TOTAL"))).isNull();
	}

	private static FailureAnalysis analysis(Throwable failure) {
		return new MixedJacksonFailureAnalyzer().analyze(failure);
	}

	/** Returns a folder in which Spring Boot says that it has another version. */
	private String springBoot(String version) throws IOException {
		Path source = this.directory.resolve("SpringBootVersion.java");
		Files.writeString(source, """
				package org.springframework.boot;

				public final class SpringBootVersion {

					public static String getVersion() {
						return "%s";
					}

				}
				""".formatted(version));
		assertThat(SpringBootVersion.class).hasPublicMethods("getVersion");
		assertThat(ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "-d", this.directory.toString(), "-proc:none", source.toString())).isZero();
		return this.directory + File.separator;
	}

}
