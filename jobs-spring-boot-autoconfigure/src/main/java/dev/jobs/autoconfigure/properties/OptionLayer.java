package dev.jobs.autoconfigure.properties;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.util.ReflectionUtils;

/**
 * The options set in one place. A layer is a record whose components are the options: a
 * {@code null} component is unset, and a component that is itself a layer is a group of
 * options.
 *
 * @param <L> the record
 */
interface OptionLayer<L extends OptionLayer<L>> {

	/**
	 * Return these options, with weaker ones for those that are unset.
	 */
	default L over(L weaker) {
		return create(components().map((component) -> {
			Object strong = value(component, this);
			Object weak = value(component, weaker);
			if (strong instanceof OptionLayer<?> group && weak != null) {
				return groupOver(group, weak);
			}
			return (strong != null) ? strong : weak;
		}).toArray());
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static Object groupOver(OptionLayer group, Object weaker) {
		return group.over((OptionLayer) weaker);
	}

	/**
	 * Return these options without some.
	 * @param paths their names, each after the name of its group and a dot
	 */
	default L without(Collection<String> paths) {
		return create(components().map((component) -> {
			Object value = value(component, this);
			if (paths.contains(component.getName())) {
				return null;
			}
			return (value instanceof OptionLayer<?> group) ? group.without(inGroup(component.getName() + ".", paths))
					: value;
		}).toArray());
	}

	private static List<String> inGroup(String group, Collection<String> paths) {
		return paths.stream()
			.filter((path) -> path.startsWith(group))
			.map((path) -> path.substring(group.length()))
			.toList();
	}

	/**
	 * Return the options that are set, by their names in properties, with the name of
	 * their group and a dot before it.
	 */
	default Map<String, Object> values() {
		Map<String, Object> values = new LinkedHashMap<>();
		components().forEach((component) -> {
			Object value = value(component, this);
			String name = DataObjectPropertyName.toDashedForm(component.getName());
			if (value instanceof OptionLayer<?> group) {
				group.values().forEach((inner, one) -> values.put(name + "." + inner, one));
			}
			else if (value != null) {
				values.put(name, value);
			}
		});
		return values;
	}

	/**
	 * Return numbers out of their range and negative durations.
	 */
	default Stream<OutOfRange> outOfRange() {
		return components().flatMap((component) -> outOfRange(component, value(component, this)));
	}

	private static Stream<OutOfRange> outOfRange(RecordComponent component, @Nullable Object value) {
		String name = component.getName();
		Option option = component.getAnnotation(Option.class);
		if (value instanceof OptionLayer<?> group) {
			return group.outOfRange().map((inner) -> inner.in(name));
		}
		if (value instanceof Duration duration && duration.isNegative()) {
			return Stream.of(new OutOfRange(name, duration, "must not be negative"));
		}
		if (value instanceof Number number && option != null
				&& !(number.doubleValue() >= option.least() && number.doubleValue() <= option.most())) {
			return Stream.of(new OutOfRange(name, number, accepted((long) option.least(), option.most())));
		}
		return Stream.empty();
	}

	private static String accepted(long least, double most) {
		return (most == Double.MAX_VALUE) ? "must be at least " + least
				: "must be from " + least + " to " + (long) most;
	}

	/**
	 * Return the names of set options that meet a condition, and of groups with such an
	 * option.
	 */
	default Stream<String> setOptions(Predicate<Option> which) {
		return components().filter((component) -> value(component, this) != null).filter((component) -> {
			Option option = component.getAnnotation(Option.class);
			boolean any = !(value(component, this) instanceof OptionLayer<?> group)
					|| group.setOptions(which).findAny().isPresent();
			return option != null && which.test(option) && any;
		}).map(RecordComponent::getName);
	}

	private Stream<RecordComponent> components() {
		return Stream.of(getClass().getRecordComponents());
	}

	private static @Nullable Object value(RecordComponent component, OptionLayer<?> layer) {
		return ReflectionUtils.invokeMethod(component.getAccessor(), layer);
	}

	@SuppressWarnings("unchecked")
	private L create(@Nullable Object[] values) {
		try {
			Constructor<?> constructor = getClass()
				.getDeclaredConstructor(components().map(RecordComponent::getType).toArray(Class<?>[]::new));
			return (L) BeanUtils.instantiateClass(constructor, values);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * An option with a value that is not accepted.
	 *
	 * @param path its name, after the name of its group and a dot
	 * @param value the value
	 * @param accepted the accepted values
	 */
	record OutOfRange(String path, Object value, String accepted) {

		private OutOfRange in(String group) {
			return new OutOfRange(group + "." + this.path, this.value, this.accepted);
		}

	}

}
