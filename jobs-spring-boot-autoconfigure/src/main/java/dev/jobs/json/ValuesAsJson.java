package dev.jobs.json;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.jobs.Deaths;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobEvent;
import dev.jobs.JobPage;
import dev.jobs.LaneStatus;
import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.SavedStep;
import dev.jobs.StoreStatus;
import dev.jobs.Trail;
import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

import static java.util.Map.entry;

/**
 * Writes values of Jobs as JSON, for an application's controllers, the endpoint and the
 * dashboard: with their names in Java, but without content that is not for everybody,
 * such as payloads, headers, logs and stack traces.
 */
public class ValuesAsJson extends SimpleModule {

	/** What is shown of values that also have methods for programs only. */
	private static final Map<Class<?>, Set<String>> SHOWN = Map.ofEntries(
			entry(Job.class,
					Set.of("id", "name", "state", "attempt", "tags", "lane", "urgency", "createdAt", "dueAt",
							"expiresAt", "deadline", "trail", "run")),
			entry(Trail.class,
					Set.of("failures", "abandonments", "crashes", "suspect", "postponements", "attempts", "end",
							"waitsFor")),
			entry(Deaths.Cause.class, Set.of("id", "error", "frame", "count", "messages", "queues", "latest")),
			entry(QueueStatus.class, Set.of("paused", "limit")),
			entry(LaneStatus.class, Set.of("heldBackUntil", "nextPermitAt", "paused", "full")));

	private static final Set<String> SHOWN_IF_SET = Set.of("lane", "expiresAt", "deadline", "waitsFor");

	/**
	 * Create the module.
	 */
	public ValuesAsJson() {
		super("dev.jobs");
		setMixInAnnotation(Enqueued.class, OfEnqueued.class);
		Stream.of(Job.class, Trail.class).forEach((type) -> setMixInAnnotation(type, WithoutQuestions.class));
		Stream.of(JobPage.class, JobCount.class, Deaths.class)
			.forEach((type) -> setMixInAnnotation(type, ByFields.class));
		Stream
			.of(Job.Run.class, Job.Progress.class, Trail.Attempt.class, JobEvent.class, LaneStatus.class,
					WorkerStatus.Info.class, SavedStep.class, StoreStatus.class)
			.forEach((type) -> setMixInAnnotation(type, WithoutContent.class));
		addSerializer(new TimesSerializer());
	}

	@Override
	public void setupModule(SetupContext context) {
		super.setupModule(context);
		context.insertAnnotationIntrospector(new Shown());
	}

	@JsonIgnoreProperties({ "new", "duplicate", "full" })
	interface OfEnqueued {

	}

	/** Leaves out what is not for everybody, and what only engines use. */
	@JsonIgnoreProperties({ "value", "log", "stackTrace", "cause", "token", "gate", "limits", "lasting" })
	interface WithoutContent {

	}

	@JsonAutoDetect(isGetterVisibility = Visibility.NONE)
	interface WithoutQuestions {

	}

	@JsonAutoDetect(fieldVisibility = Visibility.ANY, isGetterVisibility = Visibility.NONE)
	interface ByFields {

	}

	/**
	 * Finds the properties of values that are no records and have no getters.
	 */
	private static final class Shown extends NopAnnotationIntrospector {

		private static final long serialVersionUID = 1L;

		@Override
		public @Nullable PropertyName findNameForSerialization(MapperConfig<?> config, Annotated member) {
			return isShown(member) ? PropertyName.USE_DEFAULT : null;
		}

		@Override
		public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated member) {
			return (isShown(member) && SHOWN_IF_SET.contains(member.getName()))
					? JsonInclude.Value.construct(Include.NON_NULL, Include.USE_DEFAULTS) : JsonInclude.Value.empty();
		}

		private static boolean isShown(Annotated member) {
			return member instanceof AnnotatedMethod method && SHOWN.entrySet()
				.stream()
				.anyMatch((of) -> of.getKey().isAssignableFrom(method.getDeclaringClass())
						&& of.getValue().contains(method.getName()));
		}

	}

	private static final class TimesSerializer extends StdSerializer<QueueStatistics.Times> {

		TimesSerializer() {
			super(QueueStatistics.Times.class);
		}

		@Override
		public void serialize(QueueStatistics.Times times, JsonGenerator json, SerializationContext context) {
			json.writeStartObject();
			json.writeNumberProperty("total", times.total());
			json.writePOJOProperty("p50", times.quantile(0.5));
			json.writePOJOProperty("p95", times.quantile(0.95));
			json.writePOJOProperty("p99", times.quantile(0.99));
			json.writeEndObject();
		}

	}

}
