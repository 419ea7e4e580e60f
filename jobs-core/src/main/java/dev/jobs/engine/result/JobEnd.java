package dev.jobs.engine.result;

import java.lang.reflect.Type;

import dev.jobs.JobState;
import dev.jobs.NoResultException;
import dev.jobs.Trail;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.view.EndView;
import org.jspecify.annotations.Nullable;

/**
 * How a job ended.
 *
 * @param job its id
 * @param state its state, or {@code null} if it is gone
 * @param trail its trail as last seen, or {@code null} if it was never seen
 * @param value what its handler returned, or {@code null} if this is not kept
 */
public record JobEnd(String job, @Nullable JobState state, @Nullable Trail trail, byte @Nullable [] value) {

	/** How many bytes a value may have that is returned, sent or saved. */
	public static final int LARGEST_VALUE = 1 << 20;

	/**
	 * Return the end of a job as it was found.
	 * @param found what was found, or {@code null} if nothing
	 * @param seen its trail as seen before, or {@code null}
	 * @return the end, or {@code null} if it has not ended
	 */
	public static @Nullable JobEnd of(String job, @Nullable EndView found, @Nullable Trail seen) {
		if (found == null) {
			return new JobEnd(job, null, seen, null);
		}
		JobState state = found.state();
		boolean ended = state == JobState.SUCCEEDED || state == JobState.CANCELLED || state == JobState.DEAD;
		return ended ? new JobEnd(job, state, found.trail(), found.value()) : null;
	}

	/**
	 * Return the bytes of what the handler returned.
	 * @throws NoResultException if the job ended otherwise, or this is not kept
	 */
	public byte[] bytes() {
		if (this.state != JobState.SUCCEEDED || this.value == null) {
			throw new NoResultException(why(), this.job, this.state, this.trail);
		}
		return this.value;
	}

	/**
	 * Return what the handler returned.
	 * @throws NoResultException if the job ended otherwise, or this is not kept
	 * @throws PayloadException if it cannot be read as the type
	 */
	@SuppressWarnings({ "unchecked", "NullAway" }) // a value that was null is null again
	public <T extends @Nullable Object> T value(Type type, PayloadSerializer serializer) {
		byte[] value = bytes();
		try {
			return (T) serializer.reader(type).read(value);
		}
		catch (PayloadException ex) {
			throw new PayloadException("The result of job " + this.job + " cannot be read as " + type.getTypeName()
					+ ": " + ex.getMessage(), ex);
		}
	}

	private String why() {
		Trail.End last = (this.trail != null) ? this.trail.end() : null;
		if (this.state == null) {
			return "Job " + this.job + " is gone: it was deleted, was cancelled or expired while it waited, or has "
					+ "ended and its end is not kept; set 'keep-result' of its handler to keep it";
		}
		return "Job " + this.job + switch (this.state) {
			case DEAD -> " is dead" + ((last != null) ? " (" + last.reason() + "): " + last.message() : "");
			case CANCELLED -> " was cancelled";
			default -> " has succeeded, but its result is not kept; set 'keep-result' of its handler";
		};
	}

}
