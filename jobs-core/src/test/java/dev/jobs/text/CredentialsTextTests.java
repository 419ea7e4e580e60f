package dev.jobs.text;

import dev.jobs.JobStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Credentials}.
 */
class CredentialsTextTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			no jdbc:h2:x;USER=a;PASSWORD=s3cret;MODE=b here | no jdbc:h2:x;USER=a;PASSWORD=***;MODE=b here
			in "jdbc:h2:x;PASSWORD=s3cret"                  | in "jdbc:h2:x;PASSWORD=***"
			jdbc:postgresql://h:1/d?password=s3cret&user=a  | jdbc:postgresql://h:1/d?password=***&user=a
			sslpassword = s3cret                            | sslpassword = ***
			redis://shop:s3cret@127.0.0.1:6379/0            | redis://shop:***@127.0.0.1:6379/0
			rediss://:s3cret@[::1]:6379                     | rediss://:***@[::1]:6379
			The database failed: shop:s3cret@127.0.0.1      | The database failed: shop:***@127.0.0.1
			""")
	void passwordIsHidden(String text, String hidden) {
		assertThat(Credentials.hidden(text)).isEqualTo(hidden);
		assertThat(Credentials.areIn(text)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Connection to 127.0.0.1:5432 refused", "at 12:30:01 ann@example.org said so", "",
			"password authentication failed for user \"shop\"" })
	void otherTextStaysAsItIs(String text) {
		assertThat(Credentials.hidden(text)).isEqualTo(text);
		assertThat(Credentials.areIn(text)).isFalse();
	}

	@Test
	void faultOfAStoreShowsNoPassword() {
		assertThat(new JobStoreException("no jdbc:h2:x;PASSWORD=s3cret", null, true))
			.hasMessage("no jdbc:h2:x;PASSWORD=***");
		assertThat(JobStoreException.refused("a:s3cret@b", null, true)).hasMessage("a:***@b");
	}

}
