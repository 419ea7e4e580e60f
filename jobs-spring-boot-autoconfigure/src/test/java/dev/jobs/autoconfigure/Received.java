package dev.jobs.autoconfigure;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What handlers got, for tests to wait for.
 */
public class Received {

	private final BlockingQueue<Object> items = new LinkedBlockingQueue<>();

	public void add(Object item) {
		this.items.add(item);
	}

	public Object next() throws InterruptedException {
		Object item = this.items.poll(20, TimeUnit.SECONDS);
		if (item == null) {
			throw new AssertionError("Nothing was received");
		}
		return item;
	}

	public boolean isEmpty() {
		return this.items.isEmpty();
	}

}
