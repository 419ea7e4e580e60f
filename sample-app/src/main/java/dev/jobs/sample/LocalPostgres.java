package dev.jobs.sample;

import java.io.IOException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A PostgreSQL that starts and ends with the shop, unless another one is configured or
 * runs in a container.
 */
@Configuration(proxyBeanMethods = false)
@Profile("postgres & !containers")
@ConditionalOnProperty(name = "spring.datasource.url", matchIfMissing = true, havingValue = "none")
class LocalPostgres {

	@Bean
	EmbeddedPostgres postgres() throws IOException {
		EmbeddedPostgres postgres = EmbeddedPostgres.start();
		new ResourceDatabasePopulator(new ClassPathResource("shop.sql")).execute(postgres.getPostgresDatabase());
		return postgres;
	}

	@Bean
	JdbcConnectionDetails postgresConnectionDetails(EmbeddedPostgres postgres) {
		return new Details(postgres.getJdbcUrl("postgres", "postgres"));
	}

	/**
	 * Where the database is.
	 *
	 * @param getJdbcUrl its URL, which names the user too
	 */
	record Details(String getJdbcUrl) implements JdbcConnectionDetails {

		@Override
		public String getUsername() {
			return "postgres";
		}

		@Override
		public String getPassword() {
			return "";
		}

	}

}
