package dev.jobs.sample;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.QueueStatus;
import dev.jobs.operations.JobOperations;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * What the people who run the shop see and do. The dashboard does all of this and more.
 */
@RestController
class Desk {

	private final JobOperations operations;

	private final Alarms alarms;

	Desk(JobOperations operations, Alarms alarms) {
		this.operations = operations;
		this.alarms = alarms;
	}

	@GetMapping("/queues")
	List<Queue> queues() {
		return this.operations.queues().stream().map(Queue::of).toList();
	}

	@PostMapping("/queues/{name}/pause")
	void pause(@PathVariable String name) {
		this.operations.queue(name).pause();
	}

	@PostMapping("/queues/{name}/resume")
	void resume(@PathVariable String name) {
		this.operations.queue(name).resume();
	}

	/**
	 * Retry all dead jobs of a queue, however many there are, in the background.
	 */
	@PostMapping("/queues/{name}/retry")
	String retry(@PathVariable String name) {
		return this.operations.jobs(JobFilter.of((only) -> only.name(name).states(JobState.DEAD))).startRetry().id();
	}

	/**
	 * Put off all that waits in a queue, as while the provider of mails is down for
	 * maintenance.
	 */
	@PostMapping("/queues/{name}/postpone")
	String postpone(@PathVariable String name, @RequestParam Instant until) {
		return this.operations.jobs(JobFilter.of((only) -> only.name(name))).startReschedule(until).id();
	}

	/**
	 * Move all that waits in a lane to another one, as when a partner has bought another.
	 */
	@PostMapping("/queues/{name}/lanes/{lane}/move")
	String move(@PathVariable String name, @PathVariable String lane, @RequestParam String to) {
		return this.operations.jobs(JobFilter.of((only) -> only.name(name).lane(lane))).startMove(to).id();
	}

	@PutMapping("/queues/{name}/limit")
	void limit(@PathVariable String name, @RequestBody int limit) {
		this.operations.queue(name).limit(limit);
	}

	@DeleteMapping("/queues/{name}/limit")
	void removeLimit(@PathVariable String name) {
		this.operations.queue(name).removeLimit();
	}

	@PostMapping("/schedules/{name}/run")
	Enqueued run(@PathVariable String name) {
		return this.operations.schedule(name).runNow();
	}

	@GetMapping("/alarms")
	List<String> alarms() {
		return this.alarms.raised();
	}

	/**
	 * How busy a queue is.
	 *
	 * @param name its name
	 * @param waiting how many jobs wait, those that are not due included
	 * @param running how many run
	 * @param dead how many are dead
	 * @param paused whether it is paused
	 * @param limit how many jobs may run at once; -1 to go by the configuration
	 */
	record Queue(String name, long waiting, long running, long dead, boolean paused, int limit) {

		static Queue of(QueueStatus queue) {
			return new Queue(queue.name(), queue.waiting(), queue.running(), queue.dead(), queue.paused(),
					queue.limit());
		}

	}

}
