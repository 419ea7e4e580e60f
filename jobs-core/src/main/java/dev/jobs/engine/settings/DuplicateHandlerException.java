package dev.jobs.engine.settings;

/**
 * Thrown when two handlers claim the same job name.
 */
public class DuplicateHandlerException extends IllegalStateException {

	private final String name;

	private final String first;

	private final String second;

	DuplicateHandlerException(String name, String first, String second) {
		super("The job name '" + name + "' is handled twice: by " + first + " and by " + second);
		this.name = name;
		this.first = first;
		this.second = second;
	}

	/**
	 * Return the name handled twice.
	 */
	public String getName() {
		return this.name;
	}

	/**
	 * Return where the one handler comes from.
	 */
	public String getFirst() {
		return this.first;
	}

	/**
	 * Return where the other handler comes from.
	 */
	public String getSecond() {
		return this.second;
	}

}
