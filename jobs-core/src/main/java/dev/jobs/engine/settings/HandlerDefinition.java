package dev.jobs.engine.settings;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import dev.jobs.EnqueueOptions;
import dev.jobs.Handler;
import dev.jobs.HandlerOptions;
import dev.jobs.JobArgs;
import org.jspecify.annotations.Nullable;

/**
 * A handler and what it handles.
 *
 * @param name the logical name of its jobs
 * @param aliases former names, whose jobs it runs too
 * @param payloadType what to decode payloads to
 * @param payloadNeeded whether a job without a payload is a mistake
 * @param handler runs the jobs
 * @param options how they are run
 * @param rule the options of their enqueues, unless those set others
 * @param origin where it comes from, such as a method, for messages
 */
public record HandlerDefinition(String name, List<String> aliases, Type payloadType, boolean payloadNeeded,
		Handler<?> handler, HandlerOptions options, EnqueueOptions rule, String origin) {

	private static final Set<Class<?>> WITHOUT_PAYLOAD = Set.of(Void.class, Object.class, JobArgs.class);

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

	public HandlerDefinition {
		requireValidName(name);
		aliases = aliases.stream().filter((alias) -> !alias.equals(name)).distinct().toList();
		aliases.forEach(HandlerDefinition::requireValidName);
	}

	/**
	 * Define a handler with default options. Its jobs need a payload unless the type is
	 * {@code Void}, {@code Object} or {@link JobArgs}.
	 * @param <T> the payload type
	 * @param name the logical name of its jobs
	 * @param payloadType what to decode payloads to
	 * @param handler runs the jobs
	 * @return the definition
	 */
	public static <T extends @Nullable Object> HandlerDefinition of(String name, Class<T> payloadType,
			Handler<T> handler) {
		String place = handler.getClass().getName().replaceFirst("\\$\\$.*", "");
		return new HandlerDefinition(name, List.of(), payloadType, !WITHOUT_PAYLOAD.contains(payloadType), handler,
				HandlerOptions.defaults(), EnqueueOptions.defaults(), "handler '" + name + "' in " + place);
	}

	/**
	 * Return a copy with other options.
	 * @return the changed definition
	 */
	public HandlerDefinition with(HandlerOptions options) {
		return new HandlerDefinition(this.name, this.aliases, this.payloadType, this.payloadNeeded, this.handler,
				options, this.rule, this.origin);
	}

	/**
	 * Return a copy with other options for all enqueues that do not set them.
	 * @return the changed definition
	 */
	public HandlerDefinition with(EnqueueOptions rule) {
		return new HandlerDefinition(this.name, this.aliases, this.payloadType, this.payloadNeeded, this.handler,
				this.options, rule, this.origin);
	}

	/**
	 * Return a copy that runs the jobs of former names too.
	 * @return the changed definition
	 */
	public HandlerDefinition withAliases(String... aliases) {
		return new HandlerDefinition(this.name, List.of(aliases), this.payloadType, this.payloadNeeded, this.handler,
				this.options, this.rule, this.origin);
	}

	/**
	 * Check a job name: it becomes part of keys, metrics and addresses.
	 * @throws IllegalArgumentException if it is not valid
	 */
	public static String requireValidName(String name) {
		if (!NAME.matcher(name).matches()) {
			String shown = (name.length() > 120) ? name.substring(0, 120) + "…" : name;
			throw new IllegalArgumentException("The job name '" + shown + "' is not valid: a name has 1 to 100 "
					+ "letters, digits, dots, dashes and underscores, and starts with a letter or digit"
					+ (name.contains(" ") ? "; for a text payload use JobRequest.ofPayload(...)" : ""));
		}
		return name;
	}

}
