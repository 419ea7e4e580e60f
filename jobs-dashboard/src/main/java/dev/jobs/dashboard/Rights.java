package dev.jobs.dashboard;

/**
 * What a caller may do.
 *
 * @param view whether to look
 * @param operate whether to act
 * @param payloads whether to see payloads
 */
record Rights(boolean view, boolean operate, boolean payloads) {

	static final Rights NONE = new Rights(false, false, false);

	static final Rights ALL = new Rights(true, true, true);

	Rights or(Rights other) {
		return new Rights(this.view || other.view, this.operate || other.operate, this.payloads || other.payloads);
	}

}
