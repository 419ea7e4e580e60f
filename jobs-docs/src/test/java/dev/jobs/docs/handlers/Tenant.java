package dev.jobs.docs.handlers;

final class Tenant {

	private static final ThreadLocal<String> CURRENT = ThreadLocal.withInitial(() -> "acme");

	private Tenant() {
	}

	static String current() {
		return CURRENT.get();
	}

	static void set(String tenant) {
		CURRENT.set(tenant);
	}

	static void clear() {
		CURRENT.remove();
	}

}
