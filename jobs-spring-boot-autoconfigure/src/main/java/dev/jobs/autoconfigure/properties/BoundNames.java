package dev.jobs.autoconfigure.properties;

import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * The result of binding the properties below {@code jobs}: the names that it asks for,
 * the values that it cannot use, and the configured names that nothing asks for.
 */
final class BoundNames {

	private static final ConfigurationPropertyName JOBS = ConfigurationPropertyName.of("jobs");

	private static final Map<Class<?>, String> ACCEPTED = Map.of(Duration.class,
			"must be a duration such as 500ms, 30s, 5m or 2h", ZoneId.class,
			"must be a time zone such as UTC or Europe/Paris", Boolean.class, "must be true or false", Integer.class,
			"must be a whole number", Double.class, "must be a number such as 1.5", DataSize.class,
			"must be a size such as 512KB or 1MB");

	/** The message for a duration without a unit. */
	static final String NEEDS_UNIT = "needs a unit, such as 5s or 500ms";

	private static final Pattern MERE_NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

	private static final ConfigurationPropertyName ENDPOINT = ConfigurationPropertyName.of("management.endpoint.jobs");

	/**
	 * The properties that Spring Boot has for every endpoint, and those of the jobs
	 * endpoint.
	 */
	private static final Set<String> OF_ENDPOINT = Set.of("access", "cache", "enabled", "roles", "show-values");

	private final Environment environment;

	private final Set<ConfigurationPropertyName> known = new HashSet<>();

	private final Set<ConfigurationPropertyName> lists = new HashSet<>();

	private final Map<ConfigurationPropertyName, String> failures = new LinkedHashMap<>();

	private final Map<ConfigurationPropertyName, String> unknown = new LinkedHashMap<>();

	private final Map<ConfigurationPropertyName, String> foreign = new LinkedHashMap<>();

	private final Map<String, String> variables = new TreeMap<>();

	private BoundNames(Environment environment) {
		this.environment = environment;
	}

	static BoundNames read(Environment environment) {
		BoundNames names = new BoundNames(environment);
		Binder binder = Binder.get(environment);
		binder.bind(JOBS, Bindable.of(JobsProperties.class), names.new Notes());
		names.bindModules(binder);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			if (source instanceof IterableConfigurationPropertySource all) {
				boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
				all.stream()
					.filter(JOBS::isAncestorOf)
					.forEach(variables ? (name) -> names.checkVariable(name, source) : names::check);
				if (!variables) {
					all.stream().filter(ENDPOINT::isAncestorOf).forEach(names::checkOfEndpoint);
				}
			}
		}
		return names;
	}

	/**
	 * Bind the properties of other modules below {@code jobs}.
	 */
	private void bindModules(Binder binder) {
		ClassLoader classLoader = getClass().getClassLoader();
		for (String name : ImportCandidates.load(CheckedProperties.class, classLoader)) {
			try {
				bind(ClassUtils.forName(name, classLoader), binder);
			}
			catch (ClassNotFoundException | LinkageError ex) {
				// Its library is missing, or a native image left it out.
			}
		}
	}

	private void bind(Class<?> type, Binder binder) {
		ConfigurationPropertyName prefix = ConfigurationPropertyName
			.of(MergedAnnotations.from(type).get(ConfigurationProperties.class).getString("prefix"));
		if (binder.bindOrCreate(prefix, Bindable.of(type), new Notes()) instanceof CheckedProperties properties) {
			properties.check(this.environment,
					(name, reason) -> this.failures.putIfAbsent(prefix.append(name), reason));
		}
	}

	/**
	 * Return the values that cannot be used.
	 * @return the accepted values by the name of the property
	 */
	Map<ConfigurationPropertyName, String> failures() {
		return this.failures;
	}

	/**
	 * Return unknown names within our sections.
	 * @return the likely meaning by the name of the property
	 */
	Map<ConfigurationPropertyName, String> unknown() {
		return this.unknown;
	}

	/**
	 * Return unknown names directly below {@code jobs}, and the names below them.
	 * @return the likely meaning by the name of the property
	 */
	Map<ConfigurationPropertyName, String> foreign() {
		return this.foreign;
	}

	/**
	 * Return environment variables that resemble our names.
	 * @return the likely meaning by the name of the variable
	 */
	Map<String, String> variables() {
		return this.variables;
	}

	/**
	 * Return whether a duration was written without a unit, which Spring reads as
	 * milliseconds.
	 * @param result the bound value
	 * @param value the value it was bound from, if that is known
	 * @return whether the unit is missing
	 */
	static boolean lacksUnit(Object result, @Nullable Object value) {
		return result instanceof Duration && value != null && MERE_NUMBER.matcher(value.toString().strip()).matches();
	}

	private void checkOfEndpoint(ConfigurationPropertyName name) {
		String option = name.getElement(ENDPOINT.getNumberOfElements(), Form.DASHED);
		if (!OF_ENDPOINT.contains(option)) {
			String closest = Spelling.closest(option, OF_ENDPOINT);
			this.foreign.put(name, (closest != null) ? "did you mean " + ENDPOINT.append(closest) + "?"
					: "below " + ENDPOINT + " there are " + String.join(", ", new TreeSet<>(OF_ENDPOINT)));
		}
	}

	private void check(ConfigurationPropertyName name) {
		for (int size = 2; size <= name.getNumberOfElements(); size++) {
			ConfigurationPropertyName part = name.chop(size);
			if (!isKnown(part)) {
				((size == 2) ? this.foreign : this.unknown).put(name, meant(part));
				return;
			}
		}
	}

	/** A list may be longer in a source of lower precedence. */
	private boolean isKnown(ConfigurationPropertyName name) {
		return this.known.contains(name) || (name.isLastElementIndexed() && this.lists.contains(name.getParent()));
	}

	/**
	 * Check an environment variable. Its name does not show where words end, and it may
	 * not be meant for the application, so only a name that resembles ours counts.
	 */
	private void checkVariable(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		String letters = letters(name);
		if (this.known.stream().map(BoundNames::letters).noneMatch(letters::equals)) {
			this.known.stream()
				.filter((other) -> Spelling.distance(letters, letters(other)) == 1)
				.findFirst()
				.ifPresent(
						(other) -> this.variables.put(variable(name, source), "did you mean " + variable(other) + "?"));
		}
	}

	/** The name of a variable as it was set. */
	private static String variable(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		ConfigurationProperty property = source.getConfigurationProperty(name);
		return (property != null && property.getOrigin() instanceof PropertySourceOrigin origin)
				? origin.getPropertyName() : variable(name);
	}

	private static String variable(ConfigurationPropertyName name) {
		return name.toString().replaceAll("[.\\[]", "_").replaceAll("[-\\]]", "").toUpperCase(Locale.ROOT);
	}

	private static String letters(ConfigurationPropertyName name) {
		return IntStream.range(0, name.getNumberOfElements())
			.mapToObj((element) -> name.getElement(element, Form.UNIFORM))
			.collect(Collectors.joining());
	}

	private String meant(ConfigurationPropertyName name) {
		ConfigurationPropertyName parent = name.getParent();
		Set<String> siblings = new TreeSet<>();
		for (ConfigurationPropertyName other : this.known) {
			if (parent.isParentOf(other)) {
				siblings.add(other.getLastElement(Form.DASHED));
			}
		}
		String closest = Spelling.closest(name.getLastElement(Form.DASHED), siblings);
		if (closest != null) {
			return "did you mean " + parent.append(closest) + "?";
		}
		return siblings.isEmpty() ? "there is nothing below " + parent
				: "below " + parent + " there are " + String.join(", ", siblings);
	}

	/**
	 * Return the accepted values of a type, for a value that could not be converted.
	 */
	static String accepted(Class<?> type, Throwable error) {
		if (type.isEnum()) {
			return "must be one of " + Arrays.stream(type.getEnumConstants())
				.map((constant) -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
				.collect(Collectors.joining(", "));
		}
		if (type.isRecord() && NestedExceptionUtils.getMostSpecificCause(error) == error) {
			return "has no value of its own, only properties below it";
		}
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(error);
		if (cause instanceof ClassNotFoundException) {
			return "must name a class of the application, and there is no " + cause.getMessage();
		}
		String text = ACCEPTED.get(ClassUtils.resolvePrimitiveIfNecessary(type));
		return (text != null) ? text : String.valueOf(cause.getMessage());
	}

	/**
	 * Records each name that is asked for, and continues after a failure.
	 */
	private final class Notes implements BindHandler {

		@Override
		public <T> Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
			BoundNames.this.known.add(name);
			if (Collection.class.isAssignableFrom(target.getType().resolve(Object.class))) {
				BoundNames.this.lists.add(name);
			}
			return target;
		}

		@Override
		public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Object result) {
			ConfigurationProperty property = context.getConfigurationProperty();
			if (property != null && property.getName().equals(name) && lacksUnit(result,
					BoundNames.this.environment.resolvePlaceholders(String.valueOf(property.getValue())))) {
				BoundNames.this.failures.put(name, NEEDS_UNIT);
			}
			return result;
		}

		@Override
		public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Exception error) {
			ConfigurationProperty property = context.getConfigurationProperty();
			if (property == null || !property.getName().equals(name) || !property.getValue().equals("")) {
				Class<?> type = target.getType().resolve(Object.class);
				BoundNames.this.failures.put(name, Map.class.isAssignableFrom(type)
						? "must be properties, such as " + name + ".name=ada" : accepted(type, error));
			}
			return null;
		}

	}

}
