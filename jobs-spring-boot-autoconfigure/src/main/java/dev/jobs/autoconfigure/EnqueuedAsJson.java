package dev.jobs.autoconfigure;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.jobs.Enqueued;

/**
 * How an {@link Enqueued} looks to the application's mappers: what it is, not what can be
 * asked of it, and no replicas where the store did not wait for any.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
interface EnqueuedAsJson {

	@JsonIgnore
	boolean isNew();

	@JsonIgnore
	boolean isFull();

}
