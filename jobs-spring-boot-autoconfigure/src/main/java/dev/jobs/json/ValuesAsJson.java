package dev.jobs.json;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.jobs.Deaths;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobEvent;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.LaneStatus;
import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.SavedStep;
import dev.jobs.StoreStatus;
import dev.jobs.Trail;
import dev.jobs.Urgency;
import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Writes values of Jobs as JSON, for an application's controllers, the endpoint and the
 * dashboard: with their names in Java, but without content that is not for everybody,
 * such as payloads, headers, logs and stack traces.
 */
public class ValuesAsJson extends SimpleModule {

	/**
	 * Create the module.
	 */
	public ValuesAsJson() {
		super("dev.jobs");
		setMixInAnnotation(Enqueued.class, OfEnqueued.class);
		setMixInAnnotation(Job.class, OfJob.class);
		setMixInAnnotation(Job.Run.class, OfRun.class);
		setMixInAnnotation(Job.Progress.class, OfProgress.class);
		setMixInAnnotation(Trail.class, OfTrail.class);
		setMixInAnnotation(Trail.Attempt.class, OfAttempt.class);
		setMixInAnnotation(JobPage.class, ByFields.class);
		setMixInAnnotation(JobCount.class, ByFields.class);
		setMixInAnnotation(Deaths.class, ByFields.class);
		setMixInAnnotation(Deaths.Cause.class, OfCause.class);
		setMixInAnnotation(JobEvent.class, OfEvent.class);
		setMixInAnnotation(QueueStatus.class, OfQueue.class);
		setMixInAnnotation(LaneStatus.class, OfLane.class);
		setMixInAnnotation(WorkerStatus.Info.class, OfInfo.class);
		setMixInAnnotation(SavedStep.class, OfSavedStep.class);
		setMixInAnnotation(StoreStatus.class, OfStore.class);
		addSerializer(new TimesSerializer());
	}

	@JsonIgnoreProperties({ "new", "duplicate", "full" })
	interface OfEnqueued {

	}

	@JsonAutoDetect(isGetterVisibility = Visibility.NONE)
	interface OfJob {

		@JsonProperty
		String id();

		@JsonProperty
		String name();

		@JsonProperty
		JobState state();

		@JsonProperty
		int attempt();

		@JsonProperty
		List<String> tags();

		@JsonProperty
		@JsonInclude(Include.NON_NULL)
		@Nullable String lane();

		@JsonProperty
		Urgency urgency();

		@JsonProperty
		Instant createdAt();

		@JsonProperty
		Instant dueAt();

		@JsonProperty
		@JsonInclude(Include.NON_NULL)
		@Nullable Instant expiresAt();

		@JsonProperty
		@JsonInclude(Include.NON_NULL)
		@Nullable Instant deadline();

		@JsonProperty
		Trail trail();

		@JsonProperty
		Job.@Nullable Run run();

	}

	@JsonIgnoreProperties("token")
	interface OfRun {

	}

	@JsonIgnoreProperties("log")
	interface OfProgress {

	}

	@JsonAutoDetect(isGetterVisibility = Visibility.NONE)
	interface OfTrail {

		@JsonProperty
		int failures();

		@JsonProperty
		int abandonments();

		@JsonProperty
		int crashes();

		@JsonProperty
		boolean suspect();

		@JsonProperty
		int postponements();

		@JsonProperty
		List<Trail.Attempt> attempts();

		@JsonProperty
		Trail.@Nullable End end();

		@JsonProperty
		@JsonInclude(Include.NON_NULL)
		Trail.@Nullable Wait waitsFor();

	}

	@JsonIgnoreProperties({ "log", "stackTrace" })
	interface OfAttempt {

	}

	@JsonAutoDetect(fieldVisibility = Visibility.ANY, isGetterVisibility = Visibility.NONE)
	interface ByFields {

	}

	interface OfCause {

		@JsonProperty
		String id();

		@JsonProperty
		String error();

		@JsonProperty
		@Nullable String frame();

		@JsonProperty
		long count();

		@JsonProperty
		long messages();

		@JsonProperty
		Map<String, Long> queues();

		@JsonProperty
		Job latest();

	}

	@JsonIgnoreProperties("cause")
	interface OfEvent {

	}

	interface OfQueue {

		@JsonProperty
		boolean paused();

		@JsonProperty
		int limit();

	}

	@JsonIgnoreProperties("gate")
	interface OfLane {

		@JsonProperty
		@Nullable Instant heldBackUntil();

		@JsonProperty
		@Nullable Instant nextPermitAt();

		@JsonProperty
		boolean paused();

		@JsonProperty
		boolean full();

	}

	@JsonIgnoreProperties("limits")
	interface OfInfo {

	}

	@JsonIgnoreProperties("value")
	interface OfSavedStep {

	}

	@JsonIgnoreProperties("lasting")
	interface OfStore {

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
