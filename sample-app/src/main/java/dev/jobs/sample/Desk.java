package dev.jobs.sample;

import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.JobOperations;
import dev.jobs.QueueStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
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
	ResponseEntity<Void> pause(@PathVariable String name) {
		// A queue can be paused before its first job, so a misspelt name is no error.
		if (!exists(name)) {
			return ResponseEntity.notFound().build();
		}
		this.operations.pause(name);
		return ResponseEntity.ok().build();
	}

	@PostMapping("/queues/{name}/resume")
	void resume(@PathVariable String name) {
		this.operations.resume(name);
	}

	@PutMapping("/queues/{name}/limit")
	ResponseEntity<Void> limit(@PathVariable String name, @RequestBody int limit) {
		if (!exists(name)) {
			return ResponseEntity.notFound().build();
		}
		if (limit < 1) {
			return ResponseEntity.badRequest().build();
		}
		this.operations.limit(name, limit);
		return ResponseEntity.ok().build();
	}

	@DeleteMapping("/queues/{name}/limit")
	void removeLimit(@PathVariable String name) {
		this.operations.removeLimit(name);
	}

	private boolean exists(String name) {
		return queues().stream().anyMatch((queue) -> queue.name().equals(name));
	}

	@PostMapping("/schedules/{name}/run")
	ResponseEntity<Enqueued> run(@PathVariable String name) {
		return ResponseEntity.of(this.operations.trigger(name));
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
