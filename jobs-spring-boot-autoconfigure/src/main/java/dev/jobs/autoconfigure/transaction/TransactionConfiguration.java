package dev.jobs.autoconfigure.transaction;

import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.engine.run.HandlerTransactions;
import dev.jobs.engine.settings.EnqueueGate;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The gate that holds enqueues back until the commit, and transactions for handlers, if
 * there is a transaction manager.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionSynchronizationManager.class)
public final class TransactionConfiguration {

	/**
	 * Created only if a handler or a step asks for it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	HandlerTransactions jobHandlerTransactions(@JobsTransactions ObjectProvider<PlatformTransactionManager> marked,
			ObjectProvider<PlatformTransactionManager> managers) {
		PlatformTransactionManager manager = marked.getIfUnique(managers::getIfUnique);
		if (manager != null) {
			return new SpringHandlerTransactions(manager);
		}
		boolean any = managers.stream().findAny().isPresent();
		throw new InvalidJobsConfigurationException(
				"A job handler, or a step of one, is transactional, but there is " + (any ? "more than one" : "no")
						+ " transaction manager.",
				any ? "Mark the one for the database of the jobs with @JobsTransactions, or as @Primary."
						: "Define a PlatformTransactionManager for the database of the jobs.");
	}

	@Bean
	@ConditionalOnMissingBean
	EnqueueGate jobEnqueueGate() {
		return new TransactionGate();
	}

}
