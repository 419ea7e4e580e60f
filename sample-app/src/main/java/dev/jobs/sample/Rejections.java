package dev.jobs.sample;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobRejectedException;
import dev.jobs.JobStoreException;
import dev.jobs.UnknownNameException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Asks clients to come back later when a queue is full or the store is out of reach, and
 * says what was wrong with what they asked for.
 */
@RestControllerAdvice
class Rejections {

	@ExceptionHandler
	ResponseEntity<ProblemDetail> full(JobRejectedException ex) {
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
			.header(HttpHeaders.RETRY_AFTER, Long.toString(ex.getRetryAfter().toSeconds()))
			.body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, ex.getMessage()));
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> outOfReach(JobStoreException ex) {
		return outOfReach(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"Jobs are out of reach. Nothing was done."));
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unconfirmed(EnqueueUnconfirmedException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"Jobs are out of reach. Look later whether these were taken.");
		problem.setProperty("jobs", ex.getIds());
		return outOfReach(problem);
	}

	@ExceptionHandler
	ProblemDetail unknown(UnknownNameException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, ex.getMessage());
	}

	@ExceptionHandler
	ProblemDetail senseless(IllegalArgumentException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, ex.getMessage());
	}

	private static ResponseEntity<ProblemDetail> outOfReach(ProblemDetail problem) {
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).header(HttpHeaders.RETRY_AFTER, "5").body(problem);
	}

}
