package dev.jobs.autoconfigure.handler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.JobType;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.autoconfigure.properties.Recurrence;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadSerializer;

/**
 * The handlers of an application, and the mistakes of those that cannot work.
 *
 * @param handlers the handlers
 * @param faulty the handlers that cannot work
 * @param doubts likely mistakes of those that work
 */
public record FoundHandlers(List<DeclaredHandler> handlers, List<Faulty> faulty, List<String> doubts) {

	/**
	 * Return the names of the handlers.
	 * @return the names, in their order
	 */
	public Set<String> names() {
		return this.handlers.stream().map(DeclaredHandler::name).collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * Return the names of the jobs that run here, including former names.
	 * @return the names
	 */
	public Set<String> served() {
		return this.handlers.stream().flatMap(DeclaredHandler::jobNames).collect(Collectors.toSet());
	}

	/**
	 * Return all mistakes: handlers that cannot work, and contradictions between the
	 * others.
	 * @param properties the properties
	 * @param serializer reads the payloads of schedules
	 * @param rejected whether the property of a path below {@code jobs} is already
	 * reported as wrong
	 * @return what is wrong
	 */
	public List<InvalidJobsConfigurationException> mistakes(JobsProperties properties, PayloadSerializer serializer,
			Predicate<String> rejected) {
		List<InvalidJobsConfigurationException> mistakes = new ArrayList<>();
		this.faulty.forEach((handler) -> mistakes.add(handler.mistake()));
		addHandledTwice(mistakes);
		Set<String> served = served();
		this.faulty.forEach((handler) -> served.add(handler.name()));
		for (DeclaredHandler handler : this.handlers) {
			JobType type = handler.method().jobType();
			if (type != null && !served.contains(type.value())) {
				mistakes.add(otherName(handler, type));
			}
		}
		if (properties.worker().enabled()) {
			properties.pools().forEach((pool, options) -> addUnknown(mistakes, pool, options));
		}
		properties.schedules().forEach((schedule, options) -> {
			if (options.cron() != null) {
				boolean disabled = Recurrence.isDisabled(options.cron());
				addDefinedTwice(mistakes, schedule, disabled);
				if (!disabled && !rejected.test(PropertyCheck.path("schedules", schedule) + ".payload")) {
					addWithoutPayload(mistakes, schedule, options);
					addUnreadablePayload(mistakes, schedule, options, serializer);
				}
			}
		});
		return mistakes;
	}

	/**
	 * Add each handler that shares a name with an earlier one, with the first such name.
	 */
	private void addHandledTwice(List<InvalidJobsConfigurationException> mistakes) {
		Map<String, DeclaredHandler> byName = new HashMap<>();
		for (DeclaredHandler handler : this.handlers) {
			if (handler.enabled()) {
				handler.jobNames()
					.flatMap((name) -> Stream.ofNullable(byName.putIfAbsent(name, handler))
						.map((first) -> handledTwice(name, first, handler)))
					.findFirst()
					.ifPresent(mistakes::add);
			}
		}
	}

	private static InvalidJobsConfigurationException handledTwice(String name, DeclaredHandler first,
			DeclaredHandler second) {
		return new InvalidJobsConfigurationException(DuplicateHandlerFailureAnalyzer.description(name,
				first.definition().origin(), second.definition().origin()), DuplicateHandlerFailureAnalyzer.ACTION);
	}

	private static InvalidJobsConfigurationException otherName(DeclaredHandler handler, JobType type) {
		return new InvalidJobsConfigurationException(
				"The job handler %s handles '%s', but its payload is enqueued as '%s' by its @JobType, and nothing here handles that."
					.formatted(handler.method().signature(), handler.name(), type.value()),
				"Give both the same name: leave the name out of the @JobHandler, or change the @JobType; a former name "
						+ "goes to the 'aliases' of the @JobHandler.");
	}

	private void addUnknown(List<InvalidJobsConfigurationException> mistakes, String name, JobsProperties.Pool pool) {
		Set<String> unknown = new TreeSet<>(pool.handlers());
		unknown.removeAll(names());
		this.faulty.forEach((handler) -> unknown.remove(handler.name()));
		unknown.forEach(
				(handler) -> mistakes.add(new InvalidJobsConfigurationException(
						"The property jobs." + PropertyCheck.path("pools", name) + ".handlers names the handler '"
								+ handler + "', which does not exist. " + known(),
						"Correct the name, or remove it from the pool.")));
	}

	/**
	 * Add a schedule of the properties with the name of a handler that has a cron
	 * expression, even a disabled one, since it would not stop the handler's.
	 */
	private void addDefinedTwice(List<InvalidJobsConfigurationException> mistakes, String name, boolean disabled) {
		for (DeclaredHandler handler : this.handlers) {
			if (handler.enabled() && handler.recurringJob() != null && handler.name().equals(name)) {
				mistakes.add(new InvalidJobsConfigurationException(
						"The schedule '%s' is defined twice: by jobs.%s and by the cron expression of the handler '%s'."
							.formatted(name, PropertyCheck.path("schedules", name), name),
						disabled ? "To switch the schedule of the handler off, set jobs."
								+ PropertyCheck.path("handlers", name) + ".cron=- instead."
								: "Give the schedule another name and set its 'handler', or override the cron "
										+ "expression by jobs." + PropertyCheck.path("handlers", name) + ".cron."));
			}
		}
	}

	private void addWithoutPayload(List<InvalidJobsConfigurationException> mistakes, String name,
			JobsProperties.Schedule schedule) {
		if (schedule.payload() != null) {
			return;
		}
		String job = schedule.jobName(name);
		for (DeclaredHandler handler : this.handlers) {
			if (handler.serves(job) && handler.method().needsPayload()) {
				mistakes.add(new InvalidJobsConfigurationException(
						"jobs.%s enqueues jobs '%s' without a payload, but their handler %s takes one."
							.formatted(PropertyCheck.path("schedules", name), job, handler.method().signature()),
						"Set jobs.%s.payload, let the handler take none, or declare it @Nullable."
							.formatted(PropertyCheck.path("schedules", name))));
			}
		}
	}

	/**
	 * Read the payload of a schedule as its handler will.
	 */
	private void addUnreadablePayload(List<InvalidJobsConfigurationException> mistakes, String name,
			JobsProperties.Schedule schedule, PayloadSerializer serializer) {
		if (schedule.payload() == null) {
			return;
		}
		for (DeclaredHandler handler : this.handlers) {
			if (handler.enabled() && handler.serves(schedule.jobName(name))) {
				try {
					byte[] payload = serializer.write(Recurrence.withLists(schedule.payload()), Integer.MAX_VALUE);
					serializer.strictReader(handler.definition().payloadType()).read(payload);
				}
				catch (PayloadException ex) {
					String path = "jobs." + PropertyCheck.path("schedules", name) + ".payload";
					mistakes.add(
							new InvalidJobsConfigurationException(
									"%s does not fit the job handler %s: %s.".formatted(path,
											handler.method().signature(), ex.getMessage()),
									"Correct the properties below %s.".formatted(path), ex));
				}
			}
		}
	}

	/**
	 * Return a sentence that lists the handlers.
	 * @return the sentence
	 */
	public String known() {
		return this.handlers.isEmpty() ? "This application has no handlers."
				: "The handlers of this application are " + String.join(", ", names()) + ".";
	}

	/**
	 * A handler that cannot work.
	 *
	 * @param name its name; empty if it has none
	 * @param mistake its mistake
	 */
	record Faulty(String name, InvalidJobsConfigurationException mistake) {

	}

}
