package dev.jobs.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobEvent;
import dev.jobs.JobHandler;
import dev.jobs.JobListener;
import dev.jobs.JobType;
import dev.jobs.ScheduleStatus;
import dev.jobs.operations.JobOperations;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadFormat;
import dev.jobs.serialization.PayloadReader;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.ReplicatedEnqueued;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.module.SimpleModule;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for how an application's payloads are stored.
 */
class PayloadTests {

	private static final String[] OTHER_FORMAT = { "spring.jackson.property-naming-strategy=SNAKE_CASE",
			"spring.jackson.default-property-inclusion=non_empty", "spring.jackson.time-zone=Asia/Tokyo",
			"spring.jackson.datatype.datetime.write-dates-as-timestamps=true",
			"spring.jackson.datatype.enum.write-enums-to-lowercase=true",
			"spring.jackson.deserialization.fail-on-unknown-properties=true",
			"spring.jackson.serialization.indent-output=true" };

	@TempDir
	private Path directory;

	private final ApplicationContextRunner runner = Contexts.runner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));

	@Test
	void settingsOfTheApplicationsMapperDoNotChangeStoredJobs() {
		ApplicationContextRunner shop = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, DataSourceAutoConfiguration.class,
					JdbcTemplateAutoConfiguration.class, JobsAutoConfiguration.class))
			.withUserConfiguration(Reminders.class)
			.withPropertyValues("spring.application.name=shop", "jobs.shutdown.grace=1s",
					"spring.datasource.url=jdbc:h2:file:" + this.directory.resolve("shop"));
		Reminder reminder = new Reminder("ada@example.org",
				ZonedDateTime.parse("2026-07-02T09:00+02:00[Europe/Berlin]"), null, Urgency.HIGH);
		String[] id = new String[1];
		shop.run((context) -> id[0] = Contexts.client(context)
			.enqueue(reminder, (options) -> options.delay(Duration.ofHours(1)))
			.id());
		shop.withPropertyValues(OTHER_FORMAT).run((context) -> {
			assertThat(Contexts.client(context).reschedule(id[0], Instant.EPOCH)).isTrue();
			assertThat(context.getBean(Received.class).next()).isEqualTo(reminder);
		});
	}

	@Test
	void formatDoesNotDependOnTheApplicationsMapper() {
		Reminder reminder = new Reminder("Ada", ZonedDateTime.parse("2026-01-01T00:00Z[UTC]"), null, Urgency.HIGH);
		String expected = "{\"dueAt\":\"2026-01-01T00:00:00Z[UTC]\",\"sendTo\":\"Ada\",\"text\":null,\"urgency\":\"HIGH\"}";
		this.runner
			.run((context) -> assertThat(json(context.getBean(PayloadSerializer.class), reminder)).isEqualTo(expected));
		this.runner.withPropertyValues(OTHER_FORMAT)
			.run((context) -> assertThat(json(context.getBean(PayloadSerializer.class), reminder)).isEqualTo(expected));
		assertThat(json(new JacksonPayloadSerializer(), reminder)).isEqualTo(expected);
	}

	@Test
	void modulesOfTheApplicationAreTaken() {
		this.runner.withUserConfiguration(PayloadModules.class).run((context) -> {
			PayloadSerializer serializer = context.getBean(PayloadSerializer.class);
			assertThat(json(serializer, new Money("EUR", 7))).isEqualTo("{\"amount\":7,\"currency\":\"EUR\"}");
			assertThat(serializer.reader(Money.class).read("{\"amount\":7,\"currency\":\"EUR\"}".getBytes()))
				.isInstanceOfSatisfying(Money.class, (money) -> assertThat(money.amount).isEqualTo(7));
		});
	}

	@Test
	void serializerOfTheApplicationHasItsOwnFormat() {
		this.runner.withUserConfiguration(OwnPayloadFormat.class)
			.run((context) -> assertThat(json(context.getBean(PayloadSerializer.class),
					new Reminder("Ada", ZonedDateTime.parse("2026-01-01T00:00Z"), null, Urgency.HIGH)))
				.startsWith("{\"due_at\":"));
	}

	@Test
	void objectOfOtherNamesEndsAsUnreadable() {
		this.runner.withUserConfiguration(Reminders.class).run((context) -> {
			Contexts.client(context)
				.enqueue("remind", "{\"send_to\":\"secret\",\"due_at\":\"secret\"}".getBytes(StandardCharsets.UTF_8));
			assertThat(context.getBean(Received.class).next()).isInstanceOfSatisfying(JobEvent.Died.class, (died) -> {
				assertThat(died.reason()).isEqualTo(DeadReason.UNREADABLE);
				assertThat(died.toString()).doesNotContain("secret");
			});
		});
	}

	@Test
	void handlerWhosePayloadCouldNotBeReadBackEndsTheStart() {
		this.runner.withUserConfiguration(Drawings.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(Contexts.analysis(context)).contains("The job handler 'draw' (")
				.contains("at 'shape' " + Shape.class.getTypeName() + " is a sealed type")
				.contains("Annotate it with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)");
		});
	}

	@Test
	void payloadThatWouldBeReadBackAsSomethingElseIsNotEnqueued() {
		this.runner.withUserConfiguration(Reminders.class).run((context) -> {
			JobClient client = Contexts.client(context);
			for (Object payload : List.of(new Parcel(new Box(1) {
			}, "a"), new Parcel(new Box(1), new Circle(1)), new Parcel(new Box(1), Path.of("a:b")))) {
				assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> client.enqueue("send", payload))
					.withMessageStartingWith(
							"Job 'send': Cannot write a payload of " + Parcel.class.getTypeName() + " as JSON at '")
					.withMessageContaining("would be read back as a");
			}
			assertThat(client.enqueue("send", new Parcel(new Box(1), "a")).isNew()).isTrue();
		});
	}

	@Test
	void foundJobIsNoPartOfAPayload() {
		this.runner.withUserConfiguration(Reminders.class).run((context) -> {
			JobClient client = Contexts.client(context);
			Job found = client.find(client.enqueue("other", "secret").id()).orElseThrow();
			assertThatExceptionOfType(PayloadException.class)
				.isThrownBy(() -> client.enqueue("review", new Review(found)))
				.withMessageEndingWith(" at 'job': a job would not be read back: pass its id() and find it by that");
		});
	}

	@Test
	void resultOfAnEnqueueIsPlainJson() {
		new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
							WebMvcAutoConfiguration.class, JobsAutoConfiguration.class))
			.withUserConfiguration(Orders.class)
			.withPropertyValues("spring.application.name=shop", "jobs.store=memory", "jobs.shutdown.grace=1s")
			.run((context) -> {
				MockMvcTester mvc = MockMvcTester.from(context);
				assertThat(mvc.get().uri("/order")).hasStatusOk()
					.bodyJson()
					.extractingPath("$")
					.asMap()
					.containsOnlyKeys("id", "outcome", "dueAt")
					.containsEntry("outcome", "NEW");
				assertThat(mvc.get().uri("/replicated")).hasStatusOk().bodyJson().isStrictlyEqualTo("""
						{"id":"1","outcome":"DUPLICATE","dueAt":"1970-01-01T00:00:00Z","replicas":2}""");
			});
	}

	@Test
	void controllerMayReturnWhatOperationsFind() {
		new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
							WebMvcAutoConfiguration.class, JobsAutoConfiguration.class))
			.withUserConfiguration(Orders.class)
			.withPropertyValues("spring.application.name=shop", "jobs.store=memory", "jobs.shutdown.grace=1s",
					"jobs.schedules.nightly.cron=0 0 3 1 1 *", "jobs.schedules.nightly.handler=order",
					"jobs.schedules.nightly.zone=Asia/Tokyo")
			.run((context) -> {
				String id = context.getBean(JobClient.class).enqueue("other", "secret").id();
				MockMvcTester mvc = MockMvcTester.from(context);
				assertThat(mvc.get().uri("/find/" + id)).hasStatusOk()
					.bodyJson()
					.extractingPath("$")
					.asMap()
					.containsOnlyKeys("id", "name", "state", "attempt", "tags", "urgency", "createdAt", "dueAt",
							"trail", "run")
					.containsEntry("name", "other")
					.containsEntry("state", "READY");
				assertThat(mvc.get().uri("/schedules")).hasStatusOk()
					.bodyJson()
					.extractingPath("$[0]")
					.asMap()
					.containsOnlyKeys("name", "jobName", "definition", "expression", "zone", "last", "next",
							"overdueSince", "paused", "definedHere", "put", "overrides", "fault")
					.containsEntry("zone", "Asia/Tokyo");
			});
	}

	private static String json(PayloadSerializer serializer, Object payload) {
		return new String(serializer.write(payload, 1000), StandardCharsets.UTF_8);
	}

	private static @Nullable Object read(PayloadSerializer serializer, String json, Class<?> type) {
		PayloadReader reader = serializer.reader(type);
		return reader.read(json.getBytes(StandardCharsets.UTF_8));
	}

	enum Urgency {

		HIGH

	}

	@JobType("remind")
	record Reminder(String sendTo, ZonedDateTime dueAt, @Nullable String text, Urgency urgency) {

	}

	@Configuration(proxyBeanMethods = false)
	static class Reminders {

		@Bean
		Received received() {
			return new Received();
		}

		@Bean
		JobListener deaths(Received received) {
			return (event) -> {
				if (event instanceof JobEvent.Died) {
					received.add(event);
				}
			};
		}

		@Bean
		ReminderHandler reminderHandler(Received received) {
			return new ReminderHandler(received);
		}

	}

	static class ReminderHandler {

		private final Received received;

		ReminderHandler(Received received) {
			this.received = received;
		}

		@JobHandler("remind")
		void remind(Reminder reminder) {
			this.received.add(reminder);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Drawings {

		@JobHandler("draw")
		void draw(Drawing drawing) {
		}

	}

	record Drawing(Shape shape) {

	}

	sealed interface Shape permits Circle {

	}

	record Circle(int radius) implements Shape {

	}

	record Review(Job job) {

	}

	record Parcel(Box box, Object label) {

	}

	static class Box {

		public final int size;

		@JsonCreator
		Box(@JsonProperty("size") int size) {
			this.size = size;
		}

	}

	// A type of somebody else, which Jackson can make nothing of.
	static final class Money {

		private final String currency;

		private final int amount;

		private Money(String currency, int amount) {
			this.currency = currency;
			this.amount = amount;
		}

		static Money of(String currency, int amount) {
			return new Money(currency, amount);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PayloadModules {

		@Bean
		JacksonModule moneyModule() {
			return new SimpleModule("money").setMixInAnnotation(Money.class, MoneyAsJson.class);
		}

		abstract static class MoneyAsJson {

			@JsonProperty
			String currency;

			@JsonProperty
			int amount;

			@JsonCreator
			static Money of(@JsonProperty("currency") String currency, @JsonProperty("amount") int amount) {
				return null;
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnPayloadFormat {

		@Bean
		PayloadSerializer payloadSerializer() {
			return new JacksonPayloadSerializer(PayloadFormat.builder()
				.findAndAddModules()
				.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
				.build());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@RestController
	static class Orders {

		private final JobClient jobs;

		private final JobOperations operations;

		Orders(JobClient jobs, JobOperations operations) {
			this.jobs = jobs;
			this.operations = operations;
		}

		@JobHandler("order")
		void handle() {
		}

		@GetMapping("/find/{id}")
		Optional<Job> find(@PathVariable("id") String id) {
			return this.jobs.find(id);
		}

		@GetMapping("/schedules")
		List<ScheduleStatus> schedules() {
			return this.operations.schedules();
		}

		@GetMapping("/order")
		Enqueued order() {
			return this.jobs.enqueue("order");
		}

		@GetMapping("/replicated")
		Enqueued replicated() {
			return new ReplicatedEnqueued("1", Enqueued.Outcome.DUPLICATE, Instant.EPOCH, 2);
		}

	}

}
