package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a component of a payload the lane of its job, as
 * {@link EnqueueOptions.Builder#lane} does: a component of a record, a field, or a method
 * without parameters. The lane is the text of the value; a job without one, as it is
 * {@code null} or empty, has no lane. <pre class="code">
 * record SendInvoice(&#64;JobLane String tenant, String invoice) {
 * }
 * </pre>
 */
@Documented
@Target({ ElementType.RECORD_COMPONENT, ElementType.FIELD, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface JobLane {

}
