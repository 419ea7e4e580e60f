package dev.jobs.store;

/**
 * The result of a change.
 */
public enum Changed {

	/** It was made. */
	DONE,

	/** It was made, and its object is new. */
	NEW,

	/** Everything was so already; nothing was written. */
	UNCHANGED,

	/** There is nothing with that id or name. */
	NOT_FOUND,

	/** It is not possible as things stand; nothing was changed. */
	REFUSED

}
