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
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
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

		SERVLET(WebApplicationType.SERVLET, ServletWithPostings.class),

		REACTIVE(WebApplicationType.REACTIVE, ReactiveWithPostings.class);

		private final WebApplicationType type;

		private final Class<?> application;

		Stack(WebApplicationType type, Class<?> application) {
			this.type = type;
			this.application = application;
		}

		Server start(String... properties) {
			return Server.start(this.type, this.application, properties);
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
