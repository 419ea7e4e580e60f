package dev.jobs.autoconfigure.redis;

import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.store.redis.check.ServerCheck;
import dev.jobs.text.ErrorText;
import io.lettuce.core.RedisCommandExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Distinguishes, when the application has started, a Redis that refuses this application
 * from one that is down or a replica: only the latter recovers by itself.
 */
record RedisEntry(LettuceConnectionFactory factory, String namespace,
		ServerCheck check) implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(RedisEntry.class);

	private static final String OR_ELSE = ", or whatever else configures the connection factory of the jobs.";

	@Override
	public void afterSingletonsInstantiated() {
		if (!this.factory.isRunning()) {
			return;
		}
		try {
			this.check.connect(this.namespace);
		}
		catch (JobStoreException ex) {
			String text = ErrorText.clean(String.valueOf(ex.getMessage()));
			requireEntry(ex, text);
			logger.warn("{}. Jobs neither run nor can be enqueued until that is over, and continue by themselves; "
					+ "spring.data.redis.host and spring.data.redis.port say where it is", text);
		}
	}

	private static void requireEntry(JobStoreException fault, String text) {
		if (!(NestedExceptionUtils.getMostSpecificCause(fault) instanceof RedisCommandExecutionException refusal)) {
			return;
		}
		String error = String.valueOf(refusal.getMessage());
		if (error.contains("WRONGPASS ") || error.contains("NOAUTH ")) {
			throw new InvalidJobsConfigurationException(text,
					"Correct spring.data.redis.username and spring.data.redis.password" + OR_ELSE, fault);
		}
		if (error.contains("DB index")) {
			throw new InvalidJobsConfigurationException(text, "Correct spring.data.redis.database" + OR_ELSE, fault);
		}
	}

}
