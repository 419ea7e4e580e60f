package dev.jobs.dashboard;

import dev.jobs.audit.Audit;

/**
 * A user who was let in, with the request.
 *
 * @param request the request
 * @param rights what the user may do
 */
record DashboardUser(DashboardRequest request, Rights rights) {

	Audit.Operator operator() {
		return this.request.caller().operator();
	}

}
