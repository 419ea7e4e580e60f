package dev.jobs.autoconfigure;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications without one of our modules.
 */
@ExtendWith(OutputCaptureExtension.class)
class MissingModulesTests {

	private static final FilteredClassLoader WITHOUT_REDIS = new FilteredClassLoader("dev.jobs.store.redis");

	private static final FilteredClassLoader WITHOUT_JDBC = new FilteredClassLoader("dev.jobs.store.jdbc");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DataSourceAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "jobs.worker.enabled=false");

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource({ "redis", "jdbc" })
	void storeWithoutItsModuleFailsTheStart(String store) {
		this.runner.withClassLoader(store.equals("redis") ? WITHOUT_REDIS : WITHOUT_JDBC)
			.withPropertyValues("jobs.store=" + store)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("jobs-" + store + " is not on the classpath")
				.contains("Add jobs-" + store));
	}

	@ParameterizedTest
	@CsvSource({ "spring.data.redis.host=localhost,org.springframework.data.redis,spring-boot-starter-data-redis",
			"spring.datasource.url=jdbc:h2:file:./shop,org.springframework.boot.jdbc,spring-boot-starter-jdbc" })
	void forgottenStarterOfAConfiguredStoreIsWarnedAbout(String property, String missing, String starter,
			CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader(missing))
			.withPropertyValues("spring.application.name=shop", property)
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(InMemoryJobStore.class));
		assertThat(output).contains("Jobs are kept in memory and do not survive a restart: ")
			.contains("not on the classpath. Add " + starter + ", or set jobs.store=memory");
	}

	@Test
	void redisBacksOffWithoutItsModule() {
		this.runner.withClassLoader(WITHOUT_REDIS)
			.withPropertyValues("spring.data.redis.host=localhost", database())
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(JdbcJobStore.class));
	}

	@Test
	void databaseBacksOffWithoutItsModule() {
		this.runner.withClassLoader(WITHOUT_JDBC)
			.withPropertyValues(database())
			.run((context) -> assertThat(context).getBean(JobStore.class).isInstanceOf(InMemoryJobStore.class));
	}

	@Test
	void outboxWithoutItsModuleFailsTheStart() {
		this.runner.withClassLoader(WITHOUT_JDBC)
			.withPropertyValues("jobs.outbox.enabled=true", "jobs.store=redis", database())
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.outbox.enabled")
				.contains("jobs-jdbc"));
	}

	@ParameterizedTest
	@CsvSource({ "jobs-redis jobs-jdbc,--jobs.store=memory", "jobs-redis,--spring.datasource.url=jdbc:h2:file:" })
	void jobsRunWithoutTheModulesOfOtherStores(String missing, String property) throws IOException {
		String place = property.endsWith(":") ? property + this.directory.resolve("shop") : property;
		try (ApplicationProcess worker = ApplicationProcess.startWithout(List.of(missing.split(" ")), this.directory,
				WorkerApplication.class, Stream.of(place, "--spring.application.name=shop").toList())) {
			worker.await("main returns", 1);
			worker.say("quick");
			worker.await("quick is done", 1);
		}
	}

	private String database() {
		return "spring.datasource.url=jdbc:h2:file:" + this.directory.resolve("shop");
	}

}
