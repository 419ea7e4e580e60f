package dev.jobs.benchmarks.page;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.store.Stores;

/**
 * How long an operator waits for the pages that show many jobs. The pages are asked for
 * over HTTP as an operator does, one at a time with a rest before each.
 */
public final class Pages {

	/** Longer than the dashboard reuses an answer. */
	private static final Duration REST = Duration.ofMillis(260);

	private static final int WARM_UPS = 60;

	private static final int OK = 200;

	private static final int DEEP_PAGES = 250;

	private static final Pattern NEXT = Pattern.compile("\"next\":\"([^\"]+)\"");

	private final Stores stores;

	private final HttpClient client = HttpClient.newHttpClient();

	/**
	 * Create the measurement.
	 * @param stores where stores come from
	 */
	public Pages(Stores stores) {
		this.stores = stores;
	}

	/**
	 * Return how long each page takes.
	 * @param load how many jobs there are, in how many queues
	 * @param time for how long each is asked for
	 * @return the nanoseconds of each request by the title of the page
	 */
	public Map<String, long[]> times(Load load, Duration time) {
		try (Stores.Opened opened = this.stores.open(); Backlog backlog = new Backlog(opened.store(), load)) {
			opened.cleanUp();
			try (Application application = new Application(opened.store())) {
				List<Page> pages = pages(backlog, application);
				long end = System.nanoTime() + time.multipliedBy(pages.size()).toNanos();
				for (int i = 0; i < WARM_UPS && System.nanoTime() < end; i++) {
					pages.forEach((page) -> time(application, page));
				}
				Map<String, long[]> times = new LinkedHashMap<>();
				pages.forEach((page) -> times.put(page.title(), times(application, page, time)));
				return times;
			}
		}
	}

	private List<Page> pages(Backlog backlog, Application application) {
		String largest = "queue=" + backlog.largestQueue();
		return List.of(new Page("overview", "/jobs/api/overview"), new Page("schedules", "/jobs/api/schedules"),
				new Page("dead by cause", "/jobs/api/dead"),
				new Page("one job", "/jobs/api/job?id=" + backlog.deadId()), jobs("all", ""),
				jobs("all, newest", "order=newest"), jobs("ready", "state=ready"),
				jobs("ready, newest", "state=ready&order=newest"), jobs("scheduled", "state=scheduled"),
				jobs("running", "state=running"), jobs("retrying", "state=retrying"), jobs("dead", "state=dead"),
				jobs("dead, newest", "state=dead&order=newest"), jobs("succeeded", "state=succeeded"),
				jobs("of a queue", largest), deep(application, "ready", "state=ready"),
				deep(application, "scheduled", "state=scheduled"), deep(application, "all, newest", "order=newest"),
				deep(application, "of a queue", largest),
				jobs("due in an hour", "state=scheduled&since=" + backlog.hourFrom() + "&before=" + backlog.hourTo()),
				jobs("unique key", "uniqueKey=" + backlog.key()), jobs("tag", "tag=" + Backlog.TAG),
				jobs("tag and state", "state=dead&tag=" + Backlog.TAG), jobs("tag of none", "tag=nowhere"),
				jobs("dead, text of one", "state=dead&order=newest&text=" + backlog.deadText()),
				jobs("dead, text of none", "state=dead&text=q7x-0w9k2"),
				jobs("dead, letters of none", "state=dead&text=zzz"),
				jobs("ready, text of one", "state=ready&text=" + backlog.readyText()),
				jobs("ready, text of none", "state=ready&text=q7x-0w9k2"),
				jobs("ready, letters of none", "state=ready&text=zzz"),
				jobs("all, letters of none", "order=newest&text=zzz"),
				searchedOn(application, "ready, letters", "state=ready&text=zzz"),
				new Page("actuator", "/actuator/jobs"), new Page("actuator, queues", "/actuator/jobs/queues"),
				new Page("actuator, one queue", "/actuator/jobs/queues/" + backlog.largestQueue()),
				new Page("actuator, list", "/actuator/jobs/list"),
				new Page("actuator, workers", "/actuator/jobs/workers"),
				new Page("actuator, schedules", "/actuator/jobs/schedules"),
				new Page("prometheus", "/actuator/prometheus"));
	}

	/**
	 * Return a page far from the front.
	 */
	private Page deep(Application application, String title, String query) {
		return jobs(title + ", 50,000 deep", query + after(application, query + "&limit=200", DEEP_PAGES));
	}

	/**
	 * Return the page that continues a search.
	 */
	private Page searchedOn(Application application, String title, String query) {
		return jobs(title + ", continued", query + after(application, query, 2));
	}

	private String after(Application application, String query, int pages) {
		String after = "";
		for (int i = 0; i < pages; i++) {
			String path = application.url() + "/jobs/api/jobs?" + query + after;
			String body = new String(send(HttpRequest.newBuilder(URI.create(path)).build()).body(),
					StandardCharsets.UTF_8);
			Matcher next = NEXT.matcher(body);
			if (!next.find()) {
				return after;
			}
			after = "&after=" + next.group(1);
		}
		return after;
	}

	private static Page jobs(String title, String query) {
		return new Page("jobs: " + title, "/jobs/api/jobs?" + query);
	}

	private long[] times(Application application, Page page, Duration time) {
		long[] nanos = new long[(int) Math.max(time.dividedBy(REST), 1)];
		for (int i = 0; i < nanos.length; i++) {
			LockSupport.parkNanos(REST.toNanos());
			nanos[i] = time(application, page);
		}
		return nanos;
	}

	private long time(Application application, Page page) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(application.url() + page.path())).build();
		long started = System.nanoTime();
		HttpResponse<byte[]> response = send(request);
		long took = System.nanoTime() - started;
		if (response.statusCode() != OK) {
			throw new IllegalStateException(page.path() + " was answered by " + response.statusCode());
		}
		return took;
	}

	private HttpResponse<byte[]> send(HttpRequest request) {
		try {
			return this.client.send(request, BodyHandlers.ofByteArray());
		}
		catch (IOException ex) {
			throw new IllegalStateException("No answer to " + request.uri(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Nobody waits for an answer", ex);
		}
	}

	/**
	 * What is asked for.
	 *
	 * @param title what it is
	 * @param path where it is
	 */
	private record Page(String title, String path) {

	}

}
