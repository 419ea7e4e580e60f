package dev.jobs.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Shows a newcomer where to start.
 */
@Component
class Welcome {

	private static final Logger logger = LoggerFactory.getLogger(Welcome.class);

	@EventListener
	void ready(ApplicationReadyEvent event) {
		String port = event.getApplicationContext().getEnvironment().getProperty("local.server.port");
		String base = "http://localhost:" + port;
		logger.info("""
				The shop is open, and a few customers are there already.

				  The dashboard:         {base}/jobs
				  See the queues:        curl {base}/queues
				  See the mails sent:    curl {base}/mails
				  Place an order:        curl -H 'Content-Type: application/json' \\
				                           -d '{"customer":"ada@example.org","article":"teapot"}' {base}/orders
				  Start an export:       curl -X POST {base}/exports/2026
				  Watch it:              curl {base}/exports/<id>
				  Cancel it:             curl -X DELETE {base}/exports/<id>
				""".replace("{base}", base));
	}

}
