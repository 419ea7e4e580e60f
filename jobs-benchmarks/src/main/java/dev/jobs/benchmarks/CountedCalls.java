package dev.jobs.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;

import dev.jobs.store.JobStore;

/**
 * Counts the calls of a store.
 */
final class CountedCalls {

	private final AtomicLong count = new AtomicLong();

	private final JobStore store;

	CountedCalls(JobStore store) {
		this.store = (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(),
				new Class<?>[] { JobStore.class }, (proxy, method, arguments) -> {
					this.count.incrementAndGet();
					try {
						return method.invoke(store, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	JobStore store() {
		return this.store;
	}

	long count() {
		return this.count.get();
	}

}
