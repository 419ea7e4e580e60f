package dev.jobs.docs.start;

import dev.jobs.JobHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

@Component
class Welcomes {

	private static final Logger logger = LoggerFactory.getLogger(Welcomes.class);

	@JobHandler
	void send(Welcome welcome) {
		logger.info("Welcome, {}!", welcome.to());
	}

}
