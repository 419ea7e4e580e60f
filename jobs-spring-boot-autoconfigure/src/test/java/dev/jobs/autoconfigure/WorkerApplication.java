package dev.jobs.autoconfigure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;

/**
 * An application that only runs jobs, for tests in processes of their own. It enqueues
 * the jobs that its input names.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class WorkerApplication {

	private final Semaphore mayEnd = new Semaphore(0);

	public static void main(String[] arguments) {
		ConfigurableApplicationContext context = SpringApplication.run(WorkerApplication.class, arguments);
		Thread input = new Thread(() -> read(context), "input");
		input.setDaemon(true);
		input.start();
		say("main returns");
	}

	private static void read(ConfigurableApplicationContext context) {
		WorkerApplication application = context.getBean(WorkerApplication.class);
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				switch (line) {
					case "close" -> context.close();
					case "restart" -> {
						Thread restart = new Thread(() -> restart(context));
						restart.setDaemon(false);
						restart.start();
					}
					case "release" -> application.mayEnd.release();
					default -> context.getBean(JobClient.class).enqueue(line);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void restart(ConfigurableApplicationContext context) {
		context.stop();
		context.start();
		say("restarted");
	}

	static void say(String words) {
		System.out.println("> " + words);
	}

	@JobHandler("quick")
	void quick() {
		say("quick is done");
	}

	@JobHandler("slow")
	void slow() throws InterruptedException {
		say("slow begins");
		this.mayEnd.acquire();
		say("slow is done");
	}

	@EventListener(ContextClosedEvent.class)
	void closing() {
		say("closing");
	}

}
