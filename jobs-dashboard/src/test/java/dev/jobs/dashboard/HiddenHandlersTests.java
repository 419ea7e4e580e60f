package dev.jobs.dashboard;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for controllers of the application where the dashboard is.
 */
@ExtendWith(OutputCaptureExtension.class)
class HiddenHandlersTests {

	@ParameterizedTest
	@EnumSource
	@ExpectsFaults("APPLICATION FAILED TO START")
	void controllerBelowThePathEndsTheStart(Stack stack, CapturedOutput output) {
		assertThatException().isThrownBy(() -> stack.start());
		assertThat(output).contains("The dashboard at /jobs hides what else is there:")
			.contains("- GET /jobs/{id} of " + Postings.class.getName() + ".show")
			.contains("- POST /jobs of " + Postings.class.getName() + ".publish")
			.contains("Set jobs.dashboard.path to a path that nothing else uses")
			.doesNotContain(".other")
			.doesNotContain(".any");
	}

	@ParameterizedTest
	@EnumSource
	@ExpectsFaults("APPLICATION FAILED TO START")
	void lazyControllerBelowThePathEndsTheStart(Stack stack, CapturedOutput output) {
		assertThatException().isThrownBy(() -> stack.start("spring.main.lazy-initialization=true"));
		assertThat(output).contains("- GET /jobs/{id} of " + Postings.class.getName() + ".show");
	}

	@ParameterizedTest
	@EnumSource
	@ExpectsFaults("APPLICATION FAILED TO START")
	void functionalRouteBelowThePathEndsTheStart(Stack stack, CapturedOutput output) {
		assertThatException().isThrownBy(() -> stack.startWithRoutes());
		assertThat(output).contains("The dashboard at /jobs hides what else is there:")
			.contains("- GET /jobs/mine of bean 'mine'")
			.contains("- PUT /jobs/nest/{id} of bean 'nested'")
			.contains("- /jobs/nest/** of bean 'nested'")
			.contains("- DELETE /jobs/either of bean 'others'")
			.contains("Set jobs.dashboard.path to a path that nothing else uses")
			.doesNotContain("/board")
			.doesNotContain("/not")
			.doesNotContain("/{page}");
	}

	@ParameterizedTest
	@EnumSource
	void functionalRouteBesideThePathReplies(Stack stack) {
		try (Server server = stack.startWithRoutes("jobs.dashboard.path=/background")) {
			assertThat(get(server, "/jobs/mine").body()).isEqualTo("mine");
		}
	}

	@ParameterizedTest
	@EnumSource
	void controllerBesideThePathReplies(Stack stack) {
		try (Server server = stack.start("jobs.dashboard.path=/background/", "jobs.dashboard.access=operate")) {
			assertThat(server.get("").body()).contains("<title>Jobs");
			assertThat(get(server, "/background").statusCode()).isEqualTo(302);
			assertThat(get(server, "/jobs/7").body()).isEqualTo("posting 7");
		}
	}

	private static HttpResponse<String> get(Server server, String path) {
		return server.send(HttpRequest.newBuilder(URI.create(server.origin() + path)));
	}

	enum Stack {

		SERVLET(WebApplicationType.SERVLET, ServletWithPostings.class, ServletWithRoutes.class),

		REACTIVE(WebApplicationType.REACTIVE, ReactiveWithPostings.class, ReactiveWithRoutes.class);

		private final WebApplicationType type;

		private final Class<?> application;

		private final Class<?> withRoutes;

		Stack(WebApplicationType type, Class<?> application, Class<?> withRoutes) {
			this.type = type;
			this.application = application;
			this.withRoutes = withRoutes;
		}

		Server start(String... properties) {
			return Server.start(this.type, this.application, properties);
		}

		Server startWithRoutes(String... properties) {
			return Server.start(this.type, this.withRoutes, properties);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Applications.Servlet.class, Postings.class })
	static class ServletWithPostings {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Applications.Reactive.class, Postings.class })
	static class ReactiveWithPostings {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Servlet.class)
	static class ServletWithRoutes {

		@Bean
		org.springframework.web.servlet.function.RouterFunction<?> mine() {
			return org.springframework.web.servlet.function.RouterFunctions.route()
				.GET("/jobs/mine",
						(request) -> org.springframework.web.servlet.function.ServerResponse.ok().body("mine"))
				.build();
		}

		@Bean
		org.springframework.web.servlet.function.RouterFunction<?> nested() {
			return org.springframework.web.servlet.function.RouterFunctions.route()
				.path("/jobs/",
						(jobs) -> jobs.nest(
								org.springframework.web.servlet.function.RequestPredicates.accept(MediaType.TEXT_PLAIN),
								(plain) -> plain.path("/nest", (nest) -> nest
									.PUT("/{id}",
											(request) -> org.springframework.web.servlet.function.ServerResponse.ok()
												.body("mine"))
									.route(org.springframework.web.servlet.function.RequestPredicates.all(),
											(request) -> org.springframework.web.servlet.function.ServerResponse.ok()
												.body("mine")))))
				.build();
		}

		@Bean
		org.springframework.web.servlet.function.RouterFunction<?> others() {
			return org.springframework.web.servlet.function.RouterFunctions.route()
				.GET("/jobs-board",
						(request) -> org.springframework.web.servlet.function.ServerResponse.ok().body("mine"))
				.GET("/{page}", (request) -> org.springframework.web.servlet.function.ServerResponse.ok().body("mine"))
				.path("/board",
						(board) -> board.GET("/jobs",
								(request) -> org.springframework.web.servlet.function.ServerResponse.ok().body("mine")))
				.route(org.springframework.web.servlet.function.RequestPredicates.path("/jobs/not").negate(),
						(request) -> org.springframework.web.servlet.function.ServerResponse.ok().body("mine"))
				.route(org.springframework.web.servlet.function.RequestPredicates.DELETE("/here")
					.or(org.springframework.web.servlet.function.RequestPredicates.DELETE("/jobs/either")),
						(request) -> org.springframework.web.servlet.function.ServerResponse.ok().body("mine"))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Reactive.class)
	static class ReactiveWithRoutes {

		@Bean
		org.springframework.web.reactive.function.server.RouterFunction<?> mine() {
			return org.springframework.web.reactive.function.server.RouterFunctions.route()
				.GET("/jobs/mine",
						(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
							.bodyValue("mine"))
				.build();
		}

		@Bean
		org.springframework.web.reactive.function.server.RouterFunction<?> nested() {
			return org.springframework.web.reactive.function.server.RouterFunctions.route()
				.path("/jobs/", (jobs) -> jobs.nest(
						org.springframework.web.reactive.function.server.RequestPredicates.accept(MediaType.TEXT_PLAIN),
						(plain) -> plain.path("/nest", (nest) -> nest
							.PUT("/{id}",
									(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
										.bodyValue("mine"))
							.route(org.springframework.web.reactive.function.server.RequestPredicates.all(),
									(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
										.bodyValue("mine")))))
				.build();
		}

		@Bean
		org.springframework.web.reactive.function.server.RouterFunction<?> others() {
			return org.springframework.web.reactive.function.server.RouterFunctions.route()
				.GET("/jobs-board",
						(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
							.bodyValue("mine"))
				.GET("/{page}",
						(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
							.bodyValue("mine"))
				.path("/board",
						(board) -> board.GET("/jobs",
								(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
									.bodyValue("mine")))
				.route(org.springframework.web.reactive.function.server.RequestPredicates.path("/jobs/not").negate(),
						(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
							.bodyValue("mine"))
				.route(org.springframework.web.reactive.function.server.RequestPredicates.DELETE("/here")
					.or(org.springframework.web.reactive.function.server.RequestPredicates.DELETE("/jobs/either")),
						(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
							.bodyValue("mine"))
				.build();
		}

	}

	/**
	 * Jobs that people apply for.
	 */
	@RestController
	static class Postings {

		@GetMapping("/jobs/{id}")
		String show(@PathVariable("id") String id) {
			return "posting " + id;
		}

		@PostMapping("/jobs")
		String publish() {
			return "published";
		}

		@GetMapping("/jobs-board")
		String other() {
			return "board";
		}

		@GetMapping("/{page}")
		String any(@PathVariable("page") String page) {
			return page;
		}

	}

}
