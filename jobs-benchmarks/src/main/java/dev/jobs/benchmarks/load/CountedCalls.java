package dev.jobs.benchmarks.load;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import dev.jobs.store.JobStore;

/**
 * Counts the calls of a store.
 */
public final class CountedCalls {

	private final AtomicLong count = new AtomicLong();

	private final JobStore store;

	public CountedCalls(JobStore store) {
		this.store = JobStore.class.cast(counted(JobStore.class, store));
	}

	private Object counted(Class<?> type, Object target) {
		return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
			try {
				if (method.getName().equals("as")) {
					return ((Optional<?>) method.invoke(target, arguments))
						.map((ability) -> counted((Class<?>) arguments[0], ability));
				}
				this.count.incrementAndGet();
				return method.invoke(target, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		});
	}

	public JobStore store() {
		return this.store;
	}

	public long count() {
		return this.count.get();
	}

}
