package dev.jobs.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks tests in which faults are logged on purpose, so that {@link FaultWatch} does not
 * fail them.
 */
@Documented
@Inherited
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface ExpectsFaults {

	/**
	 * Texts, one of which is in the line of each expected fault or in its exception.
	 * @return the texts; with none, any fault is expected
	 */
	String[] value() default {};

}
