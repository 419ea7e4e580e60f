package dev.jobs.alone;

import java.util.Map;
import java.util.stream.Collectors;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobType;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/**
 * An application that needs nothing but the starter, and names what else is there.
 */
@EnableAutoConfiguration
@Configuration(proxyBeanMethods = false)
public class Alone {

	private static final Map<String, String> OTHERS = Map.of("actuator",
			"org.springframework.boot.actuate.endpoint.annotation.Endpoint", "webmvc",
			"org.springframework.web.servlet.DispatcherServlet", "webflux",
			"org.springframework.web.reactive.DispatcherHandler", "jdbc", "org.springframework.jdbc.core.JdbcTemplate",
			"redis", "io.lettuce.core.RedisClient");

	public static void main(String[] arguments) {
		SpringApplication.run(Alone.class, arguments);
	}

	@Bean
	ApplicationRunner visitor(JobClient jobs) {
		return (arguments) -> jobs.enqueue(new Greeting("ada"));
	}

	@JobHandler
	void greet(Greeting greeting) {
		String others = OTHERS.keySet()
			.stream()
			.filter((other) -> ClassUtils.isPresent(OTHERS.get(other), null))
			.sorted()
			.collect(Collectors.joining(" and "));
		System.out.println("Hello " + greeting.name() + ", beside " + (others.isEmpty() ? "nothing" : others) + "!");
	}

	@JobType("greet")
	record Greeting(String name) {

	}

}
