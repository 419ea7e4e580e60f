package dev.jobs.docs.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;
import dev.jobs.operations.JobOperations;

import org.springframework.stereotype.Component;

/**
 * What docs/limits.md shows.
 */
@Component
class Thumbnails {

	final List<String> made = new ArrayList<>();

	private final JobClient jobs;

	private final JobOperations operations;

	Thumbnails(JobClient jobs, JobOperations operations) {
		this.jobs = jobs;
		this.operations = operations;
	}

	@JobHandler(value = "resize-image", maxConcurrency = 8, localConcurrency = 4, timeout = "1m")
	void resize(ResizeImage image) {
		this.made.add(image.file());
	}

	@JobHandler("rebuild-index")
	void rebuild(RebuildIndex rebuild) {
		this.made.add("index of " + rebuild.shop());
	}

	String refusedWhenFull(ResizeImage image) {
		Enqueued enqueued = this.jobs.tryEnqueue(image);
		if (enqueued.isFull()) {
			return "Too many images wait, try again later";
		}
		return enqueued.id();
	}

	void waitsForRoom(ResizeImage image) {
		this.jobs.enqueue(image, (options) -> options.waitForRoom(Duration.ofSeconds(5)));
	}

	void oneForEachOrder(OrderChanged change) {
		this.jobs.enqueue(change,
				(options) -> options.unique("order-" + change.order(), (rule) -> rule.untilStarted()));
	}

	void latestCounts(OrderChanged change) {
		this.jobs.enqueue(change, (options) -> options.delay(Duration.ofSeconds(30))
			.unique("order-" + change.order(), (rule) -> rule.onDuplicate(Unique.OnDuplicate.REPLACE_AND_RESCHEDULE)));
	}

	void calmDown() {
		this.operations.queue("resize-image").pause();
		this.operations.queue("resize-image").limit(2);
		this.operations.queue("resize-image").resume();
		this.operations.queue("resize-image").removeLimit();
	}

	void changeAtNight(String id) {
		this.operations.queue("resize-image").weight(5);
		this.operations.queue("resize-image").attempts(3);
		this.operations.pool("slow").concurrency(8);
		this.operations.pool("slow").pause();
		this.operations.worker(id).quiet();
	}

	@JobType(value = "resize-image", maxWaiting = 100)
	record ResizeImage(String file, int width) {

	}

	@JobType("rebuild-index")
	@UniqueJob(window = "10m")
	record RebuildIndex(String shop) {

	}

	@JobType("order-changed")
	record OrderChanged(long order, String status) {

	}

}
