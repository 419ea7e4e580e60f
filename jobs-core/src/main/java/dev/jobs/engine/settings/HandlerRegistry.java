package dev.jobs.engine.settings;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobArgs;
import dev.jobs.JobType;
import dev.jobs.Rate;
import dev.jobs.UnknownNameException;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadReader;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.WorkerInfo;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Knows which handler runs the jobs of which queue, its current options, and which name
 * belongs to which payload type. Once it is built only the options change, so callers
 * look them up here each time.
 */
public final class HandlerRegistry {

	private final Map<String, Registered> byQueue = new LinkedHashMap<>();

	private final Map<String, HandlerDefinition> byName = new LinkedHashMap<>();

	private final Map<Class<?>, List<HandlerDefinition>> byPayload = new HashMap<>();

	private final Map<Class<?>, String> namesOfTypes = new ConcurrentHashMap<>();

	private final PayloadSerializer serializer;

	public HandlerRegistry(Collection<HandlerDefinition> definitions, PayloadSerializer serializer,
			EnqueueRules rules) {
		this.serializer = serializer;
		for (HandlerDefinition definition : definitions) {
			PayloadReader reader = reader(definition, serializer);
			Class<?> payloadType = (definition.payloadType() instanceof Class<?> type) ? type : null;
			this.byName.put(definition.name(), definition);
			Stream.concat(Stream.of(definition.name()), definition.aliases().stream())
				.forEach((queue) -> register(queue, new Registered(definition, reader,
						rules.of(queue, payloadType, definition).getUnique() != null)));
			if (payloadType != null) {
				this.byPayload.computeIfAbsent(payloadType, (key) -> new ArrayList<>()).add(definition);
			}
		}
	}

	/**
	 * Return what writes and reads payloads.
	 */
	public PayloadSerializer serializer() {
		return this.serializer;
	}

	private static PayloadReader reader(HandlerDefinition definition, PayloadSerializer serializer) {
		try {
			return serializer.reader(definition.payloadType());
		}
		catch (PayloadException ex) {
			throw new PayloadException("The job handler '" + definition.name() + "' (" + definition.origin()
					+ ") cannot get its payload. " + ex.getMessage(), ex.getCause());
		}
	}

	private void register(String queue, Registered registered) {
		Registered other = this.byQueue.putIfAbsent(queue, registered);
		if (other != null) {
			throw new DuplicateHandlerException(queue, other.definition().origin(), registered.definition().origin());
		}
	}

	/**
	 * Return the handler of a queue.
	 * @return the handler, or {@code null} if there is none
	 */
	public @Nullable Registered find(String queue) {
		return this.byQueue.get(queue);
	}

	/**
	 * Return all queues with a handler, including those of aliases.
	 */
	public Set<String> queues() {
		return this.byQueue.keySet();
	}

	/**
	 * Return the queues that some handlers serve.
	 * @param names the names of the handlers
	 */
	public Set<String> queuesOf(Collection<String> names) {
		Set<String> queues = new HashSet<>();
		this.byQueue.forEach((queue, registered) -> {
			if (names.contains(registered.definition().name())) {
				queues.add(queue);
			}
		});
		return queues;
	}

	/**
	 * Change the options of a handler, for its former names too.
	 * @param queue one of its queues
	 * @param options changes the options
	 * @return all queues of the handler
	 * @throws UnknownNameException if the queue has no handler
	 */
	public synchronized Set<String> change(String queue, Consumer<? super HandlerOptions.Builder> options) {
		Registered registered = find(queue);
		if (registered == null) {
			throw new UnknownNameException("There is no handler '" + queue + "'; there are " + names());
		}
		HandlerOptions changed = registered.own.with(options);
		if (changed.isTransactional() != registered.own.isTransactional()) {
			throw new IllegalArgumentException("'transactional' cannot be changed, as the engine is built for it");
		}
		String name = registered.definition().name();
		this.byQueue.values()
			.stream()
			.filter((handler) -> handler.definition().name().equals(name))
			.forEach((handler) -> handler.change(changed));
		return queuesOf(Set.of(name));
	}

	/**
	 * Apply the operators' settings for queues.
	 * @param settings what they have set
	 * @return the queues that this changes
	 */
	public synchronized Set<String> override(OperatorSettings settings) {
		Set<String> changed = new HashSet<>();
		this.byQueue.forEach((queue, registered) -> {
			if (registered.override(queue, settings)) {
				changed.add(queue);
			}
		});
		return changed;
	}

	/**
	 * Return the limits of the queues that have any.
	 */
	public List<WorkerInfo.Limit> limits() {
		List<WorkerInfo.Limit> limits = new ArrayList<>();
		this.byQueue.forEach((queue, registered) -> {
			HandlerOptions options = registered.options();
			Rate rate = options.getRate();
			WorkerInfo.Limit limit = new WorkerInfo.Limit(queue, options.getMaxConcurrency(),
					options.getLocalConcurrency(), options.getLaneConcurrency(), (rate != null) ? rate.toText() : "",
					options.getLaneRate() != null);
			if (!limit.equals(WorkerInfo.Limit.none(queue))) {
				limits.add(limit);
			}
		});
		return limits;
	}

	public Set<String> names() {
		return this.byName.keySet();
	}

	/**
	 * Return the job name that belongs to a payload type.
	 * @throws IllegalArgumentException if no name does, or several do
	 */
	public String nameOf(Class<?> type) {
		return this.namesOfTypes.computeIfAbsent(type, this::findName);
	}

	private String findName(Class<?> type) {
		JobType jobType = AnnotatedElementUtils.findMergedAnnotation(type, JobType.class);
		if (jobType != null) {
			return HandlerDefinition.requireValidName(jobType.value());
		}
		List<HandlerDefinition> handlers = this.byPayload.getOrDefault(type, List.of());
		if (handlers.size() == 1) {
			return handlers.get(0).name();
		}
		if (handlers.isEmpty()) {
			throw new IllegalArgumentException("No job name belongs to " + type.getName() + ": " + wayOut(type));
		}
		throw new IllegalArgumentException("Several handlers take " + type.getName() + " ("
				+ String.join(", ", handlers.stream().map(HandlerDefinition::name).sorted().toList())
				+ "): annotate it with @JobType or enqueue by name");
	}

	private static String wayOut(Class<?> type) {
		if (type.isHidden() || type.isSynthetic()) {
			return "it is a lambda, which is no payload; write a method with @JobHandler and enqueue by its name";
		}
		if (Collection.class.isAssignableFrom(type)) {
			return "use enqueueAll to enqueue each of its elements, or enqueue by name";
		}
		if (type.getName().startsWith("java.")) {
			return "enqueue by name, or declare a handler that takes it";
		}
		return "annotate it with @JobType, declare a handler that takes it, or enqueue by name";
	}

	/**
	 * Return a job whose payload can be read as its type.
	 */
	public Job readable(Job job) {
		return job.toBuilder().decodedBy((payload, type) -> this.serializer.reader(type).read(payload)).build();
	}

	/**
	 * A handler that is ready to run.
	 */
	public static final class Registered {

		private final HandlerDefinition definition;

		private final PayloadReader reader;

		private final boolean unique;

		private volatile HandlerOptions own;

		private String queue = "";

		private OperatorSettings settings = OperatorSettings.NONE;

		private volatile HandlerOptions options;

		Registered(HandlerDefinition definition, PayloadReader reader, boolean unique) {
			this.definition = definition;
			this.reader = reader;
			this.unique = unique;
			this.own = definition.options();
			this.options = this.own;
		}

		private boolean override(String queue, OperatorSettings settings) {
			HandlerOptions before = this.options;
			this.queue = queue;
			this.settings = settings;
			change(this.own);
			return !this.options.equals(before);
		}

		private void change(HandlerOptions own) {
			Value<Integer> weight = this.settings.number(Kind.WEIGHT, this.queue);
			Value<Integer> attempts = this.settings.number(Kind.ATTEMPTS, this.queue);
			Value<Rate> rate = this.settings.rate(Kind.RATE, this.queue);
			Value<Rate> laneRate = this.settings.rate(Kind.LANES_RATE, this.queue);
			this.own = own;
			Map<String, Integer> laneWeights = new HashMap<>(own.getLaneWeights());
			this.settings.laneWeights(this.queue).forEach((lane, set) -> laneWeights.put(lane, set.value()));
			this.options = own.with((set) -> {
				set.laneWeights(laneWeights);
				if (weight != null) {
					set.priority(weight.value());
				}
				if (attempts != null) {
					set.retry((retry) -> retry.maxAttempts(attempts.value()));
				}
				if (rate != null) {
					set.rate(rate.value());
				}
				if (laneRate != null) {
					set.laneRate(laneRate.value());
				}
			});
		}

		/**
		 * Return how it was defined. Its options may have changed since.
		 */
		public HandlerDefinition definition() {
			return this.definition;
		}

		/**
		 * Return its options without the settings of operators.
		 */
		public HandlerOptions own() {
			return this.own;
		}

		/**
		 * Return its current options.
		 */
		public HandlerOptions options() {
			return this.options;
		}

		public PayloadReader reader() {
			return this.reader;
		}

		/**
		 * Return whether its jobs are known to be unique, whichever rule makes them so.
		 */
		public boolean unique() {
			return this.unique;
		}

		/**
		 * Return whether a payload is of the handler's type, so that it fits without
		 * being read.
		 */
		public boolean takes(Object payload) {
			Type type = this.definition.payloadType();
			Type raw = (type instanceof ParameterizedType parameterized) ? parameterized.getRawType() : type;
			return (raw instanceof Class<?> taken && taken.isInstance(payload))
					|| (raw == JobArgs.class && payload instanceof Map) || raw == Void.class;
		}

	}

}
