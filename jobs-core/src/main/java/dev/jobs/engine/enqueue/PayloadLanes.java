package dev.jobs.engine.enqueue;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import dev.jobs.JobLane;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lane of a job from the component of its payload that has {@link JobLane}.
 */
final class PayloadLanes {

	private final Map<Class<?>, List<AnnotatedElement>> ofTypes = new ConcurrentHashMap<>();

	/**
	 * Return the lane in a payload.
	 * @return the lane, or {@code null} if it has none
	 */
	@Nullable String of(@Nullable Object payload) {
		List<AnnotatedElement> lanes = (payload != null)
				? this.ofTypes.computeIfAbsent(payload.getClass(), PayloadLanes::find) : List.of();
		if (payload == null || lanes.isEmpty()) {
			return null;
		}
		try {
			AnnotatedElement lane = lanes.get(0);
			Object value = (lane instanceof Field field) ? field.get(payload) : ((Method) lane).invoke(payload);
			return (value != null && !value.toString().isEmpty()) ? value.toString() : null;
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalArgumentException(
					"The @JobLane of " + payload.getClass().getTypeName() + " cannot be read", ex);
		}
	}

	/**
	 * Find the one that has the annotation, which is made accessible.
	 */
	private static List<AnnotatedElement> find(Class<?> type) {
		List<AnnotatedElement> found = new ArrayList<>();
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			Stream<? extends AnnotatedElement> components = each.isRecord() ? accessors(each)
					: Stream.of(each.getDeclaredFields()).filter((field) -> field.isAnnotationPresent(JobLane.class));
			Stream<Method> methods = Stream.of(each.getDeclaredMethods())
				.filter((method) -> method.isAnnotationPresent(JobLane.class) && !method.isBridge());
			Stream.concat(components, methods).distinct().forEach(found::add);
		}
		if (found.size() > 1
				|| found.stream().anyMatch((lane) -> lane instanceof Method method && method.getParameterCount() > 0)) {
			throw new IllegalArgumentException("The @JobLane on " + type.getTypeName()
					+ " is not valid: it must be on one component, field or method without parameters");
		}
		found.forEach((lane) -> ((AccessibleObject) lane).setAccessible(true));
		return found;
	}

	/**
	 * Return the accessors of components with the annotation, which their fields have
	 * too.
	 */
	private static Stream<Method> accessors(Class<?> record) {
		return Stream.of(record.getRecordComponents())
			.filter((component) -> component.isAnnotationPresent(JobLane.class))
			.map(RecordComponent::getAccessor);
	}

}
