package dev.jobs.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.NoResultException;
import dev.jobs.Signal;
import dev.jobs.Urgency;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The shop on the web.
 */
@RestController
class ShopController {

	private final Shop shop;

	private final Stock stock;

	private final Mailer mailer;

	private final Quotes quotes;

	private final JobClient jobs;

	ShopController(Shop shop, Stock stock, Mailer mailer, Quotes quotes, JobClient jobs) {
		this.shop = shop;
		this.stock = stock;
		this.mailer = mailer;
		this.quotes = quotes;
		this.jobs = jobs;
	}

	@PostMapping("/orders")
	Map<String, Object> place(@RequestBody OrderPlaced order) {
		return Map.of("number", this.shop.place(order));
	}

	@PostMapping("/purchases")
	Enqueued sell(@RequestBody OrderPlaced order) {
		return this.shop.sell(order);
	}

	/**
	 * Hear from the carrier that a parcel has arrived.
	 */
	@PostMapping("/deliveries/{purchase}")
	Signal.Sent deliver(@PathVariable String purchase, @RequestBody Fulfilment.Delivered delivered) {
		return this.jobs.send(Fulfilment.DELIVERED, purchase, delivered);
	}

	@PostMapping("/imports/{supplier}")
	Enqueued imports(@PathVariable String supplier) {
		return this.jobs.enqueue(new ImportArticles(supplier, 1000));
	}

	@PostMapping("/reminders")
	Enqueued remind(@RequestBody OrderMail mail) {
		return this.jobs.enqueue(mail, (options) -> options.delay(Duration.ofMinutes(10)));
	}

	@PutMapping("/reminders/{id}")
	ResponseEntity<Void> move(@PathVariable String id, @RequestParam Instant at) {
		return this.jobs.reschedule(id, at) ? ResponseEntity.ok().build() : ResponseEntity.notFound().build();
	}

	/**
	 * Remind a customer of a basket once nothing was put into it for an hour: the mail
	 * that waits gets the new text and time.
	 */
	@PutMapping("/baskets/{customer}")
	Enqueued fill(@PathVariable String customer, @RequestBody List<String> articles) {
		OrderMail mail = new OrderMail(customer, 0, "In your basket: " + String.join(", ", articles));
		return this.jobs.enqueue(mail,
				(options) -> options.debounce("basket-" + customer, Duration.ofHours(1), Duration.ofDays(1)));
	}

	/**
	 * Send a code to log in with: before all other mails, or not at all once it is of no
	 * use.
	 */
	@PostMapping("/codes/{customer}")
	Enqueued login(@PathVariable String customer) {
		OrderMail mail = new OrderMail(customer, 0, "Your code: " + ThreadLocalRandom.current().nextInt(1000, 10_000));
		return this.jobs.enqueue(mail, (options) -> options.urgency(Urgency.URGENT).expiresIn(Duration.ofMinutes(10)));
	}

	@PutMapping("/stock/{article}")
	Enqueued count(@PathVariable String article, @RequestBody int left) {
		return this.stock.count(article, left);
	}

	@PostMapping("/notices")
	Enqueued tell(@RequestBody Notice notice) {
		return this.jobs.enqueue(notice);
	}

	@PostMapping("/exports/{year}")
	Enqueued export(@PathVariable int year) {
		return this.jobs.enqueue(new ExportOrders(year));
	}

	@PostMapping("/images")
	Enqueued resize(@RequestBody ResizeImage wish) {
		return this.jobs.enqueue(wish);
	}

	@PostMapping("/refunds")
	Enqueued refund(@RequestBody Refund refund) {
		return this.jobs.enqueue(refund, (options) -> options.tags("customer:" + refund.customer()));
	}

	@PostMapping("/articles/{article}")
	Map<String, Object> offer(@PathVariable String article) {
		return Map.of("mails", this.shop.offer(article));
	}

	@PostMapping("/parcels")
	Enqueued send(@RequestBody Map<String, Object> parcel) {
		return this.jobs.enqueue("send-parcel", parcel);
	}

	@PostMapping("/payments/{order}")
	void pay(@PathVariable long order) {
		this.shop.pay(order);
	}

	@GetMapping("/mails")
	List<OrderMail> mails() {
		return this.mailer.sent();
	}

	@GetMapping("/exports/{id}")
	ResponseEntity<Progress> job(@PathVariable String id) {
		return ResponseEntity.of(this.jobs.find(id).map(Progress::of));
	}

	/**
	 * Tell where the file of an export is, once it is there.
	 */
	@GetMapping("/exports/{id}/file")
	ResponseEntity<OrderExporter.File> file(@PathVariable String id) {
		try {
			return this.jobs.result(id, OrderExporter.File.class)
				.map(ResponseEntity::ok)
				.orElse(ResponseEntity.accepted().build());
		}
		catch (NoResultException ex) {
			return ResponseEntity.notFound().build();
		}
	}

	@GetMapping("/quotes/{article}")
	Quote quote(@PathVariable String article, @RequestParam String country) throws InterruptedException {
		return this.quotes.of(article, country);
	}

	@DeleteMapping("/exports/{id}")
	ResponseEntity<Void> cancel(@PathVariable String id) {
		return this.jobs.cancel(id) ? ResponseEntity.accepted().build() : ResponseEntity.notFound().build();
	}

	/**
	 * How far a job is.
	 *
	 * @param name its name
	 * @param state its state
	 * @param attempt the number of its attempt
	 * @param report what it last reported
	 */
	record Progress(String name, String state, int attempt, String report) {

		static Progress of(Job job) {
			Job.Run run = job.run();
			Job.Progress progress = (run != null) ? run.progress() : null;
			return new Progress(job.name(), job.state().name(), job.attempt(), (progress != null)
					? progress.checkIn() + " (" + progress.done() + "/" + progress.total() + ")" : "");
		}

	}

}
