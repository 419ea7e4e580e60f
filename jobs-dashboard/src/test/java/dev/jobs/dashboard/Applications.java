package dev.jobs.dashboard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import dev.jobs.JobType;
import dev.jobs.JobHandler.Lanes;
import dev.jobs.NoResultException;
import dev.jobs.Signal;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;
import dev.jobs.audit.OperatorActionEvent;
import dev.jobs.audit.OperatorRefusalEvent;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import org.apache.catalina.valves.RemoteIpValve;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.context.WebSessionServerSecurityContextRepository;
import org.springframework.stereotype.Component;

/**
 * Applications with a dashboard.
 */
final class Applications {

	private static final List<UserDetails> USERS = users("viewer:JOBS_VIEWER", "operator:JOBS_OPERATOR",
			"boss:JOBS_OPERATOR,JOBS_PAYLOADS", "clerk:CLERK");

	private static final String LONG_NAME = "a-name-as-long-as-names-may-be.without_any_place_to_break_it_"
			+ "onAScreenThatIsNarrowerThanItIsWritten1";

	private Applications() {
	}

	private static List<UserDetails> users(String... texts) {
		List<UserDetails> users = new ArrayList<>();
		for (String text : texts) {
			String[] parts = text.split(":");
			users.add(User.withUsername(parts[0]).password("{noop}secret").roles(parts[1].split(",")).build());
		}
		return users;
	}

	/**
	 * The handlers.
	 */
	@Component
	static class Work {

		private static final Logger logger = LoggerFactory.getLogger(Work.class);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		final List<String> approvals = new CopyOnWriteArrayList<>();

		final List<OperatorActionEvent> actions = new CopyOnWriteArrayList<>();

		final List<OperatorRefusalEvent> refusals = new CopyOnWriteArrayList<>();

		@JobHandler("fail")
		void fail(String text) {
			logger.error("failing with {}", text);
			throw new IllegalStateException(text);
		}

		@JobHandler(value = "fails-at-first", backoff = @JobHandler.RetryDelay(type = "fixed", delay = "1h"))
		void failAtFirst(JobContext context) {
			if (context.attempt() == 1) {
				throw new IllegalStateException("not yet");
			}
		}

		@JobHandler(value = "saves", maxAttempts = 1)
		void save(String text, JobContext context) {
			context.cursor("line", Integer.class, 0).moveTo(7);
			context.step("charge", String.class, () -> text);
			context.step("mail", () -> {
			});
			logger.error("failing with {}", text);
			throw new IllegalStateException(text);
		}

		@JobHandler(value = "approval", keepHistory = "true")
		void approve(String order, JobContext context) {
			this.approvals.add(context.await(Signal.of("approved", String.class), order, Duration.ofDays(14)));
		}

		@JobHandler("follow")
		void follow(String job, JobContext context) {
			try {
				context.await(job, String.class);
			}
			catch (NoResultException ex) {
				logger.info("job {} ended without a result", job);
			}
		}

		@JobHandler("long")
		void run(String text, JobContext context) throws InterruptedException {
			logger.warn("working on {}", text);
			context.checkIn(text);
			context.progress(3, 10);
			this.mayEnd.await();
		}

		@JobHandler(value = "in-order", lanes = @Lanes(ordered = true))
		JobResult runInOrder(String result) {
			return switch (result) {
				case "discard" -> JobResult.discard();
				case "hold back" -> JobResult.holdBack(Duration.ofHours(1));
				default -> JobResult.done();
			};
		}

		@JobHandler(value = "brief", keepHistory = "true")
		void brief() {
		}

		@JobHandler(tags = "slow")
		void importFile(ImportFile file) {
		}

		@JobHandler(value = "nightly", cron = "0 30 2 * * MON-FRI", zone = "Europe/Vienna")
		void nightly() {
		}

		@JobHandler(LONG_NAME)
		void longName() {
		}

		@EventListener
		void note(OperatorActionEvent event) {
			this.actions.add(event);
		}

		@EventListener
		void note(OperatorRefusalEvent event) {
			this.refusals.add(event);
		}

	}

	/**
	 * On Spring MVC.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Work.class)
	@ImportAutoConfiguration({ JobsAutoConfiguration.class, JobsDashboardAutoConfiguration.class,
			TomcatServletWebServerAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
			WebMvcAutoConfiguration.class })
	static class Servlet {

	}

	/**
	 * On Spring MVC, with a valve that takes addresses from headers, which no property
	 * shows.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Servlet.class)
	static class ServletBehindAValve {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> valve() {
			return (factory) -> factory.addEngineValves(new RemoteIpValve());
		}

	}

	/**
	 * On Spring WebFlux.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Work.class)
	@ImportAutoConfiguration({ JobsAutoConfiguration.class, JobsDashboardAutoConfiguration.class,
			NettyReactiveWebServerAutoConfiguration.class, HttpHandlerAutoConfiguration.class,
			CodecsAutoConfiguration.class, WebFluxAutoConfiguration.class })
	static class Reactive {

		/** The server stops at once, without waiting for more requests. */
		@Bean
		ReactorResourceFactory reactorResources() {
			ReactorResourceFactory resources = new ReactorResourceFactory();
			resources.setShutdownQuietPeriod(Duration.ZERO);
			return resources;
		}

	}

	/**
	 * On Spring MVC, with Spring Security and its own token against forged requests.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Servlet.class)
	@EnableWebSecurity
	static class SecuredServlet {

		@Bean
		SecurityFilterChain chain(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		InMemoryUserDetailsManager users() {
			return new InMemoryUserDetailsManager(USERS);
		}

	}

	/**
	 * On Spring MVC, with Spring Security and a session for whoever once sent
	 * credentials.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Servlet.class)
	@EnableWebSecurity
	static class ServletWithSessions {

		@Bean
		SecurityFilterChain chain(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic((basic) -> basic.securityContextRepository(new HttpSessionSecurityContextRepository()))
				.build();
		}

		@Bean
		InMemoryUserDetailsManager users() {
			return new InMemoryUserDetailsManager(USERS);
		}

	}

	/**
	 * On Spring WebFlux, with Spring Security and a session for whoever once sent
	 * credentials.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Reactive.class)
	@EnableWebFluxSecurity
	static class ReactiveWithSessions {

		@Bean
		SecurityWebFilterChain chain(ServerHttpSecurity http) {
			return http.authorizeExchange((requests) -> requests.anyExchange().authenticated())
				.httpBasic((basic) -> basic.securityContextRepository(new WebSessionServerSecurityContextRepository()))
				.build();
		}

		@Bean
		MapReactiveUserDetailsService users() {
			return new MapReactiveUserDetailsService(USERS);
		}

	}

	/**
	 * On Spring WebFlux, with Spring Security and its own token against forged requests.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Reactive.class)
	@EnableWebFluxSecurity
	static class SecuredReactive {

		@Bean
		SecurityWebFilterChain chain(ServerHttpSecurity http) {
			return http.authorizeExchange((requests) -> requests.anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		MapReactiveUserDetailsService users() {
			return new MapReactiveUserDetailsService(USERS);
		}

	}

	@JobType(value = "import-file", maxWaiting = 50, tags = "import")
	@UniqueJob(onDuplicate = Unique.OnDuplicate.REPLACE)
	record ImportFile(String name) {

	}

}
