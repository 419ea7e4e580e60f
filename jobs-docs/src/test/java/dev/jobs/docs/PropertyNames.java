package dev.jobs.docs;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.Schedule;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * The properties that exist: those of Jobs by binding them, all others by the metadata on
 * the class path.
 */
final class PropertyNames {

	private static final String DASHBOARD = "jobs.dashboard.";

	private final Map<String, String> types = new HashMap<>();

	private PropertyNames() {
	}

	static PropertyNames read() {
		PropertyNames names = new PropertyNames();
		try {
			for (URL metadata : Collections.list(
					PropertyNames.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
				try (InputStream in = metadata.openStream()) {
					for (JsonNode property : new JsonMapper().readTree(in).path("properties")) {
						names.types.put(property.path("name").asString(), property.path("type").asString(""));
					}
				}
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		return names;
	}

	/**
	 * Return what is wrong with a YAML text.
	 */
	List<String> problems(String yaml) {
		List<String> problems = new ArrayList<>();
		Map<String, Object> jobs = new TreeMap<>();
		Map<String, Object> dashboard = new TreeMap<>();
		properties(yaml).forEach((name, value) -> {
			if (name.startsWith(DASHBOARD)) {
				dashboard.put(name, value);
			}
			else if (name.startsWith("jobs.")) {
				jobs.put(name, value);
				checkValue(name, value.toString(), problems);
			}
			else if (!isKnown(name)) {
				problems.add("unknown: " + name);
			}
		});
		bind("jobs", JobsProperties.class, jobs, problems);
		bind("jobs.dashboard", dashboardType(), dashboard, problems);
		return problems;
	}

	private static void checkValue(String name, String value, List<String> problems) {
		try {
			if (name.endsWith(".cron") && !Schedule.isDisabled(value)) {
				Schedule.parse(value);
			}
			if (name.endsWith(".misfire")) {
				Misfire.parse(value);
			}
		}
		catch (IllegalArgumentException ex) {
			problems.add(name + ": " + ex.getMessage());
		}
	}

	private static void bind(String prefix, Class<?> type, Map<String, Object> properties, List<String> problems) {
		ConfigurationPropertySource source = new MapConfigurationPropertySource(properties);
		try {
			new Binder(List.of(source), null, ApplicationConversionService.getSharedInstance()).bind(prefix,
					Bindable.of(type), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
		}
		catch (RuntimeException ex) {
			problems.add(String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage()));
		}
	}

	/**
	 * Return whether a property is known, or is what others begin with. A part in angle
	 * brackets stands for any name.
	 */
	boolean isKnownOrPrefix(String name) {
		String plain = name.replaceAll("<\\w+>", "x");
		if (this.types.keySet().stream().anyMatch((known) -> known.startsWith(plain + "."))) {
			return true;
		}
		return isKnown(plain) && (!plain.startsWith("jobs.") || plain.startsWith(DASHBOARD)
				|| exists(JobsProperties.class, List.of(plain.substring("jobs.".length()).split("\\."))));
	}

	/**
	 * Return whether a type of properties has a part. What is below a map has any name.
	 */
	private static boolean exists(Type type, List<String> parts) {
		if (parts.isEmpty()) {
			return true;
		}
		List<String> rest = parts.subList(1, parts.size());
		if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
			return exists(map.getActualTypeArguments()[1], rest);
		}
		String name = DataObjectPropertyName.toDashedForm(parts.get(0));
		return type instanceof Class<?> parent && Arrays.stream(parent.getMethods())
			.filter((method) -> method.getParameterCount() == 0)
			.filter((method) -> DataObjectPropertyName.toDashedForm(method.getName()).equals(name))
			.anyMatch((method) -> exists(method.getGenericReturnType(), rest));
	}

	private boolean isKnown(String name) {
		String plain = name.replaceAll("\\[\\d+]", "");
		if (this.types.containsKey(plain)) {
			return true;
		}
		for (String parent = parent(plain); !parent.isEmpty(); parent = parent(parent)) {
			if (this.types.getOrDefault(parent, "").startsWith("java.util.Map")) {
				return true;
			}
		}
		return false;
	}

	private static String parent(String name) {
		int dot = name.lastIndexOf('.');
		return (dot < 0) ? "" : name.substring(0, dot);
	}

	private static Map<String, Object> properties(String yaml) {
		Map<String, Object> all = new TreeMap<>();
		try {
			for (PropertySource<?> source : new YamlPropertySourceLoader().load("block",
					new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))) {
				EnumerablePropertySource<?> properties = (EnumerablePropertySource<?>) source;
				for (String name : properties.getPropertyNames()) {
					all.put(ConfigurationPropertyName.adapt(name, '.').toString(),
							String.valueOf(properties.getProperty(name)));
				}
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		return all;
	}

	private static Class<?> dashboardType() {
		try {
			return Class.forName("dev.jobs.dashboard.DashboardProperties");
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
