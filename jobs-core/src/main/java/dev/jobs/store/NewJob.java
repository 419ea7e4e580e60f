package dev.jobs.store;

import java.time.Instant;
import java.util.Map;

import dev.jobs.Unique;
import org.jspecify.annotations.Nullable;

/**
 * A job to be stored.
 *
 * @param id its id, made by the application
 * @param name its logical name, the name of its queue
 * @param payload its payload
 * @param headers text that travels with it
 * @param createdAt when it was enqueued
 * @param dueAt when it may run
 * @param unique its unique key, or {@code null} if it has none
 * @param maxLength how many jobs may wait in its queue for it to be taken; 0 for no bound
 */
public record NewJob(String id, String name, byte[] payload, Map<String, String> headers, Instant createdAt,
		Instant dueAt, @Nullable Key unique, int maxLength) {

	/**
	 * Return this job with another id.
	 * @param id the id
	 * @return the changed job
	 */
	public NewJob withId(String id) {
		return new NewJob(id, this.name, this.payload, this.headers, this.createdAt, this.dueAt, this.unique,
				this.maxLength);
	}

	/**
	 * A unique key.
	 *
	 * @param digest a digest of the key and its scope; equal only for equal keys
	 * @param mode how long the owner holds it
	 * @param scope among which jobs it is unique
	 * @param until from when on it does not count any more, or {@code null} for no bound
	 * @param onDuplicate what to do if another job holds it
	 */
	public record Key(String digest, Unique.Mode mode, Unique.Scope scope, @Nullable Instant until,
			Unique.OnDuplicate onDuplicate) {

	}

}
