package dev.jobs.dashboard;

import dev.jobs.audit.Audit;

/**
 * A caller who was let in, with the request.
 *
 * @param request the request
 * @param rights what the caller may do
 */
record Visitor(DashboardRequest request, Rights rights) {

	Audit.Operator operator() {
		return this.request.caller().operator();
	}

}
