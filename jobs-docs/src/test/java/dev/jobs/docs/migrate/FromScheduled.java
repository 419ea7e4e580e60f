package dev.jobs.docs.migrate;

import dev.jobs.JobHandler;
import dev.jobs.UniqueJob;

import org.springframework.stereotype.Component;

@Component
class FromScheduled {

	int closed;

	@JobHandler(value = "close-accounts", cron = "0 0 2 * * *", zone = "Europe/Paris", timeout = "30m")
	@UniqueJob
	void closeAccounts() {
		this.closed++;
	}

}
