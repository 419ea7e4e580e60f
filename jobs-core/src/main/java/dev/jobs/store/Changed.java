package dev.jobs.store;

/**
 * What a change did.
 */
public enum Changed {

	/** It was made. */
	DONE,

	/** There is nothing with that id or name. */
	NOT_FOUND,

	/** It is not possible as things stand; nothing was changed. */
	REFUSED

}
