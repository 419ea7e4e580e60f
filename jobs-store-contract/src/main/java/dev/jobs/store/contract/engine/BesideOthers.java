package dev.jobs.store.contract.engine;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Lets a suite run beside others, but not beside one that counts the threads of all
 * engines.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = BesideOthers.THREADS, mode = ResourceAccessMode.READ)
public @interface BesideOthers {

	/** The threads of all engines. */
	String THREADS = "threads of engines";

}
