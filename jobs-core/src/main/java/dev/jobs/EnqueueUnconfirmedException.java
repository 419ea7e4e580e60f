package dev.jobs;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when it is unknown whether jobs are stored: the store may have taken them, but
 * its replies got lost, even when the call was repeated under the same ids. Once the
 * store answers again, {@link JobClient#find(String)} finds a job that was stored, unless
 * it has run and is gone. <pre class="code">{@code
 * try {
 *     jobs.enqueueAll(mails);
 * }
 * catch (EnqueueUnconfirmedException ex) {
 *     return ex.getIds();
 * }
 * }</pre>
 */
public class EnqueueUnconfirmedException extends JobException {

	private final List<String> ids;

	/**
	 * Create an exception.
	 * @param message what is unknown
	 * @param ids the ids of the jobs in doubt
	 * @param cause the fault of the store, or {@code null}
	 */
	public EnqueueUnconfirmedException(String message, List<String> ids, @Nullable Throwable cause) {
		super(message, cause);
		this.ids = List.copyOf(ids);
	}

	/**
	 * Return the ids of the jobs that may or may not be stored.
	 * @return the ids, in the order of the requests
	 */
	public List<String> getIds() {
		return this.ids;
	}

}
