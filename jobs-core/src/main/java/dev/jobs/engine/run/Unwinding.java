package dev.jobs.engine.run;

import dev.jobs.JobResult;

/**
 * Ends a handler in its middle with a result. It is an error, so that handlers which
 * catch exceptions let it through.
 */
final class Unwinding extends Error {

	private final transient JobResult result;

	Unwinding(JobResult result, String message) {
		super(message, null, false, false);
		this.result = result;
	}

	JobResult result() {
		return this.result;
	}

}
