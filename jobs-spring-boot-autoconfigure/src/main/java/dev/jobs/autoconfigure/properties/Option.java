package dev.jobs.autoconfigure.properties;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What holds for an option wherever it is set.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
@interface Option {

	/** The least number that is accepted. */
	double least() default 0;

	/** The largest number that is accepted. */
	double most() default Double.MAX_VALUE;

	/** For which jobs the option makes sense. */
	Scope scope() default Scope.RUN;

	/**
	 * For which jobs an option makes sense.
	 */
	enum Scope {

		/** For those that a handler runs. */
		RUN,

		/** For those that are enqueued, even if there is no handler for them here. */
		ENQUEUE,

		/** For those of one handler, so not for all by a default. */
		ONE_HANDLER

	}

}
