package dev.jobs.autoconfigure;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.jobs.Enqueued;

/**
 * How an {@link Enqueued} looks to the application's mappers: the properties that it
 * consists of, without those derived from them.
 */
interface EnqueuedAsJson {

	@JsonIgnore
	boolean isNew();

	@JsonIgnore
	boolean isFull();

}
