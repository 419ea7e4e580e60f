package dev.jobs.autoconfigure.properties;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The rules of an option, wherever it is set.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
@interface Option {

	/** The smallest accepted number. */
	double least() default 0;

	/** The largest accepted number. */
	double most() default Double.MAX_VALUE;

	/** The jobs for which the option makes sense. */
	Scope scope() default Scope.RUN;

	/**
	 * The jobs for which an option makes sense.
	 */
	enum Scope {

		/** Jobs that a handler runs. */
		RUN,

		/** Jobs that are enqueued, even without a handler here. */
		ENQUEUE,

		/** Jobs of one handler, so a default cannot set it for all. */
		ONE_HANDLER

	}

}
