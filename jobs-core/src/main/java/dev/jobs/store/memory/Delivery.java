package dev.jobs.store.memory;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The jobs that are still held under one token. While it has a job, it is listed with its
 * worker or, once that has vanished, with the abandoned deliveries.
 */
final class Delivery {

	private final long token;

	private final String worker;

	private final Set<StoredJob> jobs = new LinkedHashSet<>();

	private Map<Long, Delivery> list;

	Delivery(long token, String worker, Map<Long, Delivery> list) {
		this.token = token;
		this.worker = worker;
		this.list = list;
	}

	long token() {
		return this.token;
	}

	String worker() {
		return this.worker;
	}

	Collection<StoredJob> jobs() {
		return this.jobs;
	}

	void add(StoredJob job) {
		if (this.jobs.isEmpty()) {
			this.list.put(this.token, this);
		}
		this.jobs.add(job);
	}

	void remove(StoredJob job) {
		this.jobs.remove(job);
		if (this.jobs.isEmpty()) {
			this.list.remove(this.token);
		}
	}

	void listIn(Map<Long, Delivery> other) {
		this.list.remove(this.token);
		this.list = other;
		other.put(this.token, this);
	}

}
