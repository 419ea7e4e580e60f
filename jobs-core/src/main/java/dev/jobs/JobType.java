package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a payload type its logical job name, so that it can be enqueued without naming
 * the job, also by an application that has no handler for it. Only this name is stored,
 * never the class name. Subclasses and implementations have the name too, such as the
 * records of a sealed interface, unless they have one of their own. <pre class="code">
 * &#64;JobType(value = "resize-image", maxWaiting = 100)
 * record ResizeImage(String file, int width) {
 * }
 * </pre>
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobType {

	/**
	 * The logical name.
	 */
	String value();

	/**
	 * Former names, whose waiting jobs the handler of this type still runs.
	 */
	String[] aliases() default {};

	/**
	 * Tags of all jobs of this name.
	 */
	String[] tags() default {};

	/**
	 * How many jobs of this name may wait at once; 0 for no bound.
	 */
	int maxWaiting() default 0;

}
