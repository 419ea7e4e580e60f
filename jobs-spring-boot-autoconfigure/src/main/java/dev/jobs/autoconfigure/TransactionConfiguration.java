package dev.jobs.autoconfigure;

import dev.jobs.engine.EnqueueGate;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The gate that holds enqueues back until the commit, if there is anything that could be
 * committed.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionSynchronizationManager.class)
class TransactionConfiguration {

	@Bean
	@ConditionalOnMissingBean
	EnqueueGate jobEnqueueGate() {
		return new TransactionGate();
	}

}
