package dev.jobs.store.support;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version of a stored form. A store does not guess at forms of another version: it
 * logs each version once, and the form counts as unreadable.
 */
public final class StoredVersion {

	private static final Logger logger = LoggerFactory.getLogger(StoredVersion.class);

	private static final int MOST_LOGGED = 20;

	private final String what;

	private final int number;

	private final Set<Integer> logged = ConcurrentHashMap.newKeySet();

	/**
	 * Create a version.
	 * @param what the stored thing, such as {@code a trail}
	 * @param number the version that is written and read
	 */
	public StoredVersion(String what, int number) {
		this.what = what;
		this.number = number;
	}

	/**
	 * Return the version that is written.
	 */
	public int number() {
		return this.number;
	}

	/**
	 * Require that something has the version that can be read.
	 * @throws UnknownVersionException if it has another
	 */
	public void require(int found) {
		if (found == this.number) {
			return;
		}
		UnknownVersionException ex = new UnknownVersionException(this.what, found, this.number);
		if (this.logged.size() < MOST_LOGGED && this.logged.add(found)) {
			logger.warn("{}; it counts as unreadable", ErrorText.clean(String.valueOf(ex.getMessage())));
		}
		throw ex;
	}

	/**
	 * Thrown if something is stored in a version that this version of Jobs does not read.
	 */
	public static final class UnknownVersionException extends IllegalArgumentException {

		private static final long serialVersionUID = 1L;

		UnknownVersionException(String what, int found, int known) {
			super("Version %d of %s is stored, but this version of Jobs reads version %d".formatted(found, what,
					known));
		}

	}

}
