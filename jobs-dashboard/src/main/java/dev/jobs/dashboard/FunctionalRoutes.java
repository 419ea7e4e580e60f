package dev.jobs.dashboard;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;

/**
 * Reads what the functional routes of a bean match, as far as it is a path. Those of
 * Spring MVC and of WebFlux show it to visitors of different types whose methods have the
 * same names. Only few of the methods matter, so one proxy serves for both.
 */
final class FunctionalRoutes {

	private static final List<String> VISITORS = List.of(
			"org.springframework.web.servlet.function.RouterFunctions$Visitor",
			"org.springframework.web.servlet.function.RequestPredicates$Visitor",
			"org.springframework.web.reactive.function.server.RouterFunctions$Visitor",
			"org.springframework.web.reactive.function.server.RequestPredicates$Visitor");

	private static final Set<String> ALL = Set.of("/**");

	private final HiddenHandlers hidden;

	private final String bean;

	private final BiConsumer<Object, FunctionalRoutes> reader;

	/** The paths of the nests around, the innermost first. */
	private final Deque<Set<String>> nests = new ArrayDeque<>(List.of(Set.of("")));

	private final Set<String> paths = new LinkedHashSet<>();

	private final Set<Object> methods = new LinkedHashSet<>();

	private int negations;

	/**
	 * Read the routes of a bean.
	 * @param hidden takes the routes
	 * @param bean the name of the bean
	 * @param reader lets a predicate be visited
	 */
	FunctionalRoutes(HiddenHandlers hidden, String bean, BiConsumer<Object, FunctionalRoutes> reader) {
		this.hidden = hidden;
		this.bean = bean;
		this.reader = reader;
	}

	<V> V visitor(Class<V> type) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, this::visit));
	}

	private @Nullable Object visit(Object visitor, Method method, Object[] arguments) {
		switch (method.getName()) {
			case "startNested" -> {
				Set<String> own = read(arguments[0]);
				this.nests.push(own.isEmpty() ? nest() : below(nest(), own));
			}
			case "endNested" -> this.nests.pop();
			case "route" -> {
				Set<String> own = read(arguments[0]);
				this.hidden.add(this.methods, below(nest(), own.isEmpty() ? ALL : own), "bean '" + this.bean + "'");
			}
			case "startNegate" -> this.negations++;
			case "endNegate" -> this.negations--;
			case "method" -> matched(this.methods, (Collection<?>) arguments[0]);
			case "path" -> matched(this.paths, Set.of((String) arguments[0]));
			default -> {
			}
		}
		return null;
	}

	private <T> void matched(Set<T> all, Collection<? extends T> some) {
		if (this.negations == 0) {
			all.addAll(some);
		}
	}

	private Set<String> nest() {
		return this.nests.getFirst();
	}

	private Set<String> read(Object predicate) {
		this.paths.clear();
		this.methods.clear();
		this.reader.accept(predicate, this);
		return new LinkedHashSet<>(this.paths);
	}

	private static Set<String> below(Set<String> nest, Set<String> paths) {
		return nest.stream()
			.map((outer) -> outer.endsWith("/") ? outer.substring(0, outer.length() - 1) : outer)
			.flatMap((outer) -> paths.stream().map((path) -> outer + path))
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/**
	 * Let the visitors be made in a native image.
	 */
	static void registerHints(RuntimeHints hints) {
		VISITORS.forEach((visitor) -> hints.proxies().registerJdkProxy(TypeReference.of(visitor)));
	}

}
