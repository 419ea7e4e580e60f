package dev.jobs.autoconfigure;

import dev.jobs.JobHandler;

import org.springframework.context.annotation.Configuration;

/**
 * An application with a handler, for tests that need to see a job run.
 */
@Configuration(proxyBeanMethods = false)
public class Greeter {

	public final Received greeted = new Received();

	@JobHandler("greet")
	void greet(String name) {
		this.greeted.add(name);
	}

}
