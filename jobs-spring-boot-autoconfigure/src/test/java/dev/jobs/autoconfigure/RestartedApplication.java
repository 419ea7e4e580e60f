package dev.jobs.autoconfigure;

import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

import dev.jobs.JobHandler;
import dev.jobs.JobType;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/**
 * An application that DevTools restarts while it has jobs.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class RestartedApplication {

	private static final String INTERRUPTED = "restarted.interrupted";

	public static void main(String[] arguments) {
		SpringApplication.run(RestartedApplication.class, arguments);
	}

	private static void say(String words) {
		System.out.println("> " + words);
	}

	/**
	 * Block the first time; what remembers that outlives a restart.
	 */
	@JobHandler("slow")
	void slow(Slow work) throws InterruptedException {
		say("slow begins with " + work + loaderOf(work));
		if (System.getProperty(INTERRUPTED) == null) {
			System.setProperty(INTERRUPTED, "");
			new CountDownLatch(1).await();
		}
		say("slow is done");
	}

	@JobHandler("quick")
	void quick(Quick work) {
		say("quick is done with " + work + loaderOf(work));
	}

	private static String loaderOf(Object payload) {
		ClassLoader loader = payload.getClass().getClassLoader();
		return " of " + loader.getClass().getSimpleName() + " "
				+ (loader == RestartedApplication.class.getClassLoader());
	}

	@EventListener(ApplicationReadyEvent.class)
	void ready() {
		say("ready, with " + Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("jobs-"))
			// Ends as soon as its connection is open.
			.filter((name) -> !name.equals("jobs-redis-connect"))
			.sorted()
			.collect(Collectors.joining(" ")));
	}

	@JobType("slow")
	record Slow(int number) {

	}

	@JobType("quick")
	record Quick(int number) {

	}

}
