package dev.jobs.store.view;

import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;

import dev.jobs.Job;
import dev.jobs.store.support.StoredVersion;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What workers report, as stores keep it: their descriptions and the progress of their
 * jobs. What is damaged, or of another version, counts as missing.
 */
public final class WorkerJson {

	private static final Logger logger = LoggerFactory.getLogger(WorkerJson.class);

	private static final StoredVersion WORKER = new StoredVersion("a worker", 1);

	private static final StoredVersion PROGRESS = new StoredVersion("the progress of a job", 1);

	private static final JsonMapper JSON = JsonMapper.builder()
		.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.build();

	private WorkerJson() {
	}

	/**
	 * Return the JSON of the description of a worker.
	 * @return the JSON, or {@code null} if there is no description
	 */
	public static @Nullable String of(@Nullable WorkerInfo info) {
		return (info != null) ? JSON.writeValueAsString(new Worker(WORKER.number(), info)) : null;
	}

	/**
	 * Read the description of a worker.
	 * @return the description, or {@code null} if it cannot be read
	 */
	public static @Nullable WorkerInfo info(@Nullable String json) {
		return read(json, Worker.class, (worker) -> {
			WORKER.require(worker.v);
			return (worker.info != null && isComplete(worker.info)) ? worker.info : null;
		});
	}

	private static boolean isComplete(WorkerInfo info) {
		info.startedAt().toEpochMilli();
		return info.host() != null && info.version() != null && info.pools() != null
				&& info.pools().stream().allMatch(WorkerJson::isComplete) && info.limits() != null
				&& info.limits().stream().allMatch((limit) -> limit != null && limit.queue() != null)
				&& (info.jvm() == null || isComplete(info.jvm()));
	}

	private static boolean isComplete(WorkerInfo.Jvm jvm) {
		return jvm.java() != null && jvm.jobs() != null;
	}

	private static boolean isComplete(WorkerInfo.@Nullable Pool pool) {
		return pool != null && pool.name() != null && pool.queues() != null
				&& pool.queues().stream().allMatch(Objects::nonNull);
	}

	/**
	 * Return the JSON of the progress of a job.
	 */
	public static String of(Job.Progress progress) {
		return JSON.writeValueAsString(new Progress(PROGRESS.number(), progress.checkIn(), progress.done(),
				progress.total(), progress.at(), progress.log()));
	}

	/**
	 * Read the progress of a job.
	 * @return the progress, or {@code null} if it cannot be read
	 */
	public static Job.@Nullable Progress progress(@Nullable String json) {
		return read(json, Progress.class, (read) -> {
			PROGRESS.require(read.v);
			read.at.toEpochMilli();
			return Job.Progress.of(read.checkIn, read.done, read.total, read.at).withLog(read.log);
		});
	}

	private static <T, R> @Nullable R read(@Nullable String json, Class<T> form, Function<T, @Nullable R> reader) {
		if (json == null || json.isEmpty()) {
			return null;
		}
		try {
			return reader.apply(JSON.readValue(json, form));
		}
		catch (RuntimeException ex) {
			logger.debug("What a worker reported cannot be read and counts as missing", ErrorText.loggable(ex));
			return null;
		}
	}

	/**
	 * The description of a worker as it is stored.
	 *
	 * @param v the version of this form
	 * @param info the description
	 */
	private record Worker(int v, @Nullable WorkerInfo info) {

	}

	/**
	 * The progress of a job as it is stored.
	 *
	 * @param v the version of this form
	 * @param checkIn see the progress
	 * @param done see the progress
	 * @param total see the progress
	 * @param at see the progress
	 * @param log see the progress
	 */
	private record Progress(int v, @Nullable String checkIn, long done, long total, Instant at, @Nullable String log) {

	}

}
