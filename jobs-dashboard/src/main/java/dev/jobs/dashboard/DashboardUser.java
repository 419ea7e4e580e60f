package dev.jobs.dashboard;

import dev.jobs.JobFilter;
import dev.jobs.audit.Operator;
import dev.jobs.query.RefusedException;

/**
 * A user with access, and the request.
 *
 * @param request the request
 * @param rights what the user may do
 */
record DashboardUser(DashboardRequest request, Rights rights) {

	Operator operator() {
		return this.request.caller().operator();
	}

	/**
	 * Require that a search does not reveal payloads to a user who may not see them.
	 * @param filter the search
	 * @throws RefusedException if it would reveal payloads
	 */
	void requireSearchable(JobFilter filter) {
		if ((filter.getText() != null || filter.getUniqueKey() != null) && !this.rights.payloads()) {
			throw RefusedException.forbidden("Only users who may see payloads may search by text "
					+ "or by unique key, since both reveal what payloads contain.");
		}
	}

}
