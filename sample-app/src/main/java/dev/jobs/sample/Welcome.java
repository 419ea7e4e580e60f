package dev.jobs.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Shows a newcomer where to start.
 */
@Component
class Welcome {

	private static final Logger logger = LoggerFactory.getLogger(Welcome.class);

	@EventListener
	void ready(ApplicationReadyEvent event) {
		Environment environment = event.getApplicationContext().getEnvironment();
		logger.info("""
				The shop is open, and a few customers are there already.

				  What there is to try:  http://localhost:{}{}/
				""", environment.getProperty("local.server.port"),
				environment.getProperty("server.servlet.context-path", ""));
	}

}
