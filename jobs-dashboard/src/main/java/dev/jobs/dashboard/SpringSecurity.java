package dev.jobs.dashboard;

import java.security.Principal;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/**
 * Asks Spring Security, if it is on the classpath.
 */
final class SpringSecurity {

	static final String AUTHENTICATION = "org.springframework.security.core.Authentication";

	static final boolean PRESENT = ClassUtils.isPresent(AUTHENTICATION, SpringSecurity.class.getClassLoader());

	static final boolean WEB_PRESENT = PRESENT && ClassUtils
		.isPresent("org.springframework.security.web.csrf.CsrfToken", SpringSecurity.class.getClassLoader());

	private SpringSecurity() {
	}

	/**
	 * Return the check of a user's role, named with or without its prefix.
	 */
	static Predicate<String> roles(@Nullable Principal user) {
		return (PRESENT && user != null) ? Users.roles(user) : (role) -> false;
	}

	static DashboardRequest.@Nullable ForeignToken token(@Nullable Object attribute) {
		return (WEB_PRESENT && attribute != null) ? Tokens.token(attribute) : null;
	}

	private static final class Users {

		static Predicate<String> roles(Principal user) {
			if (!(user instanceof Authentication authentication) || !authentication.isAuthenticated()) {
				return (role) -> false;
			}
			return (role) -> authentication.getAuthorities()
				.stream()
				.map(GrantedAuthority::getAuthority)
				.anyMatch((authority) -> role.equals(authority) || ("ROLE_" + role).equals(authority));
		}

	}

	private static final class Tokens {

		static DashboardRequest.@Nullable ForeignToken token(Object attribute) {
			return (attribute instanceof CsrfToken token)
					? new DashboardRequest.ForeignToken(token.getHeaderName(), token.getToken()) : null;
		}

	}

}
