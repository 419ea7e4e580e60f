package dev.jobs.store.memory;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Jobs in an order of their own. They carry the links themselves, which makes removal
 * from the middle cheap and a million waiting jobs small; so a job is in one list at
 * most.
 */
final class JobList {

	private @Nullable StoredJob first;

	private @Nullable StoredJob last;

	private int size;

	/** The first and the last place given; all others are in between. */
	private long front;

	private long back;

	int size() {
		return this.size;
	}

	@Nullable StoredJob first() {
		return this.first;
	}

	void addFirst(StoredJob added) {
		added.place = --this.front;
		link(null, added, this.first);
	}

	void addLast(StoredJob added) {
		added.place = ++this.back;
		link(this.last, added, null);
	}

	void remove(StoredJob removed) {
		StoredJob previous = removed.previous;
		StoredJob next = removed.next;
		if (previous != null) {
			previous.next = next;
		}
		else {
			this.first = next;
		}
		if (next != null) {
			next.previous = previous;
		}
		else {
			this.last = previous;
		}
		removed.previous = null;
		removed.next = null;
		this.size--;
	}

	void forEach(Consumer<StoredJob> action) {
		for (StoredJob job = this.first; job != null; job = job.next) {
			action.accept(job);
		}
	}

	private void link(@Nullable StoredJob previous, StoredJob added, @Nullable StoredJob next) {
		added.previous = previous;
		added.next = next;
		if (previous != null) {
			previous.next = added;
		}
		else {
			this.first = added;
		}
		if (next != null) {
			next.previous = added;
		}
		else {
			this.last = added;
		}
		this.size++;
	}

}
