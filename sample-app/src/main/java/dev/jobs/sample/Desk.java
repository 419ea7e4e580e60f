package dev.jobs.sample;

import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.QueueStatus;
import dev.jobs.UnknownNameException;
import dev.jobs.operations.JobOperations;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
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

	@ExceptionHandler
	ProblemDetail unknown(UnknownNameException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, ex.getMessage());
	}

	@ExceptionHandler
	ProblemDetail senseless(IllegalArgumentException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, ex.getMessage());
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
