package dev.jobs.store.jdbc;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SchemaText}.
 */
class SchemaTextTests {

	@Test
	void laterStatementsChangeWhatEarlierOnesCreated() {
		SchemaText text = SchemaText.of("""
				create sequence if not exists jobs_place;

				create table if not exists jobs_job (
					id text primary key,
					state smallint not null default 1 check (state between 0 and 5)
				);

				create index if not exists jobs_job_old on jobs_job (id);
				create index if not exists jobs_job_ready on jobs_job (id) where state = 1;

				alter table jobs_job add column if not exists version smallint default 1 not null;
				drop index if exists jobs_job_old;
				""");
		assertThat(text.tables()).singleElement().satisfies((table) -> {
			assertThat(table.name()).isEqualTo("jobs_job");
			assertThat(table.columns()).containsOnlyKeys("id", "state", "version")
				.containsEntry("version", "version smallint default 1 not null");
		});
		assertThat(text.sequences()).containsExactly("jobs_place");
		assertThat(text.indexes()).containsExactly("jobs_job_ready");
	}

}
