package dev.jobs.dashboard;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import org.springframework.web.server.WebSession;

/**
 * The dashboard on Spring WebFlux.
 */
class ReactiveDashboard implements WebHandler {

	private static final String CSRF = "org.springframework.security.web.server.csrf.CsrfToken";

	private final Dashboard dashboard;

	ReactiveDashboard(Dashboard dashboard) {
		this.dashboard = dashboard;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		Mono<Optional<Principal>> user = exchange.getPrincipal().map(Optional::of).defaultIfEmpty(Optional.empty());
		// Asking for the token may begin the session that keeps it.
		return Mono.zip(user, token(exchange).zipWhen((token) -> session(exchange)))
			.map((parts) -> read(exchange, parts.getT1().orElse(null), parts.getT2().getT1().orElse(null),
					parts.getT2().getT2().orElse(null)))
			.flatMap((request) -> this.dashboard.wantsBody(request) ? body(exchange.getRequest()).map(request::with)
					: Mono.just(request))
			.publishOn(Schedulers.boundedElastic())
			.map(this.dashboard::handle)
			.flatMap((reply) -> write(reply, exchange));
	}

	private static Mono<Optional<DashboardRequest.ForeignToken>> token(ServerWebExchange exchange) {
		Mono<?> token = exchange.getAttribute(CSRF);
		return (token != null && SpringSecurity.WEB_PRESENT) ? token.map(Tokens::token).defaultIfEmpty(Optional.empty())
				: Mono.just(Optional.empty());
	}

	private static Mono<Optional<String>> session(ServerWebExchange exchange) {
		return exchange.getSession()
			.filter(WebSession::isStarted)
			.map(WebSession::getId)
			.map(Optional::of)
			.defaultIfEmpty(Optional.empty());
	}

	private static Mono<byte[]> body(ServerHttpRequest request) {
		return DataBufferUtils.join(request.getBody(), DashboardRequest.LONGEST_BODY).map((buffer) -> {
			byte[] bytes = new byte[buffer.readableByteCount()];
			buffer.read(bytes);
			DataBufferUtils.release(buffer);
			return bytes;
		})
			.defaultIfEmpty(new byte[0])
			.onErrorReturn(DataBufferLimitException.class, new byte[DashboardRequest.LONGEST_BODY + 1]);
	}

	private static DashboardRequest read(ServerWebExchange exchange, @Nullable Principal user,
			DashboardRequest.@Nullable ForeignToken csrf, @Nullable String session) {
		ServerHttpRequest request = exchange.getRequest();
		Predicate<String> roles = SpringSecurity.roles(user);
		DashboardRequest.Caller caller = new DashboardRequest.Caller((user != null) ? user.getName() : null, roles,
				address(request.getRemoteAddress()), address(request.getLocalAddress()),
				DashboardRequest.Caller.login(user, request.getHeaders(), session));
		boolean secure = "https".equals(request.getURI().getScheme());
		return new DashboardRequest(request.getMethod().name(), path(exchange),
				request.getQueryParams().toSingleValueMap(), request.getHeaders(), new byte[0], caller, host(request),
				secure, csrf);
	}

	private static @Nullable InetAddress address(@Nullable InetSocketAddress end) {
		return (end != null) ? end.getAddress() : null;
	}

	/** For a request without a host the server would make one up. */
	private static String host(ServerHttpRequest request) {
		return request.getHeaders().containsHeader(HttpHeaders.HOST) ? String.valueOf(request.getURI().getAuthority())
				: "";
	}

	private static String path(ServerWebExchange exchange) {
		Object within = exchange.getAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE);
		String path = (within != null) ? within.toString() : "";
		return (path.isEmpty() && exchange.getRequest().getPath().value().endsWith("/")) ? "/" : path;
	}

	private Mono<Void> write(DashboardReply reply, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		response.setStatusCode(reply.status());
		reply.headers().forEach((name, values) -> {
			// The application also has its own cookies.
			if (name.equalsIgnoreCase(HttpHeaders.SET_COOKIE)) {
				response.getHeaders().addAll(name, values);
			}
			else {
				response.getHeaders().put(name, values);
			}
		});
		response.getHeaders().setContentLength(reply.body().length);
		if (exchange.getRequest().getMethod().name().equals("HEAD") || reply.body().length == 0) {
			return response.setComplete();
		}
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(reply.body())));
	}

	private static final class Tokens {

		static Optional<DashboardRequest.ForeignToken> token(Object attribute) {
			return (attribute instanceof org.springframework.security.web.server.csrf.CsrfToken token)
					? Optional.of(new DashboardRequest.ForeignToken(token.getHeaderName(), token.getToken()))
					: Optional.empty();
		}

	}

}
