package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes all jobs of a payload type, or of a handler method, unique by their whole
 * payload. Subclasses and implementations of the type are unique too. A producer without
 * handlers sees only the annotation on the type, so prefer that place. <pre class="code">
 * &#64;JobType("rebuild-index")
 * &#64;UniqueJob(window = "10m")
 * record RebuildIndex(String shop) {
 * }
 * </pre>
 *
 * @see Unique
 */
@Documented
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface UniqueJob {

	/**
	 * How long the owner holds the key.
	 * @return the mode
	 */
	Unique.Mode value() default Unique.Mode.UNTIL_DONE;

	/**
	 * Among which jobs the payload is unique.
	 * @return the scope
	 */
	Unique.Scope scope() default Unique.Scope.HANDLER;

	/**
	 * For how long the key may count, such as {@code 10m}; no bound if empty.
	 * @return the window
	 */
	String window() default "";

	/**
	 * The effect of a second enqueue.
	 */
	Unique.OnDuplicate onDuplicate() default Unique.OnDuplicate.KEEP;

}
