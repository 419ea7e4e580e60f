package dev.jobs.sample;

import java.time.ZoneId;
import java.util.Map;

import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.operations.ScheduleOperations;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * What partners see of the shop.
 */
@RestController
@RequestMapping("/partners/{partner}")
class PartnerController {

	private final Partners partners;

	private final JobClient jobs;

	PartnerController(Partners partners, JobClient jobs) {
		this.partners = partners;
		this.jobs = jobs;
	}

	/**
	 * Take a price list, unless too many of this partner wait: others are not at fault.
	 */
	@PostMapping("/prices")
	ResponseEntity<?> send(@PathVariable String partner, @RequestBody Map<String, Long> cents) {
		Enqueued list = this.jobs.tryEnqueue(new PriceList(partner, cents));
		if (list.isFull()) {
			return ResponseEntity.status(HttpStatus.TOO_MANY_REQUESTS)
				.header(HttpHeaders.RETRY_AFTER, "10")
				.body(ProblemDetail.forStatusAndDetail(HttpStatus.TOO_MANY_REQUESTS,
						"Three price lists of " + partner + " wait. Send this one in a while."));
		}
		return ResponseEntity.ok(list);
	}

	@PutMapping("/report")
	ScheduleOperations.Put subscribe(@PathVariable String partner, @RequestParam String cron,
			@RequestParam(defaultValue = "UTC") ZoneId zone) {
		return this.partners.subscribe(partner, cron, zone);
	}

	@DeleteMapping("/report")
	void unsubscribe(@PathVariable String partner) {
		this.partners.unsubscribe(partner);
	}

}
