package dev.jobs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * Finds circles among the files of each package. A flat package hides them from a rule
 * about packages. A file is its top-level type with all that is nested in it.
 */
public final class FileCycles {

	private final Map<String, Set<String>> seen = new HashMap<>();

	private final Map<String, Integer> order = new HashMap<>();

	private final Map<String, Integer> earliest = new HashMap<>();

	private final Deque<String> path = new ArrayDeque<>();

	private final List<Set<String>> knots = new ArrayList<>();

	private FileCycles(JavaClasses classes) {
		for (JavaClass type : classes) {
			String file = fileOf(type);
			type.getDirectDependenciesFromSelf()
				.stream()
				.map((dependency) -> dependency.getTargetClass().getBaseComponentType())
				.filter((target) -> target.getPackageName().equals(type.getPackageName()))
				.map(FileCycles::fileOf)
				.filter((other) -> !other.equals(file))
				.forEach((other) -> this.seen.computeIfAbsent(file, (key) -> new TreeSet<>()).add(other));
		}
	}

	/**
	 * Return the knots: sets of files each of which sees itself through the others.
	 * @param classes the classes
	 * @return the names of the types, without those that are in no knot
	 */
	public static List<Set<String>> in(JavaClasses classes) {
		FileCycles cycles = new FileCycles(classes);
		new TreeSet<>(cycles.seen.keySet()).forEach((file) -> {
			if (!cycles.order.containsKey(file)) {
				cycles.visit(file);
			}
		});
		return cycles.knots;
	}

	private static String fileOf(JavaClass type) {
		return type.getName().replaceFirst("\\$.*", "");
	}

	/**
	 * Visit a file and what it sees, as Tarjan does to find strongly connected parts.
	 */
	private void visit(String file) {
		int number = this.order.size();
		this.order.put(file, number);
		this.earliest.put(file, number);
		this.path.push(file);
		for (String other : this.seen.getOrDefault(file, Set.of())) {
			if (!this.order.containsKey(other)) {
				visit(other);
				this.earliest.merge(file, this.earliest.get(other), Math::min);
			}
			else if (this.path.contains(other)) {
				this.earliest.merge(file, this.order.get(other), Math::min);
			}
		}
		if (this.earliest.get(file) == number) {
			Set<String> knot = new TreeSet<>();
			String last;
			do {
				last = this.path.pop();
				knot.add(last);
			}
			while (!last.equals(file));
			if (knot.size() > 1) {
				this.knots.add(knot);
			}
		}
	}

}
