package dev.jobs.sample;

import java.util.List;

import dev.jobs.Enqueued;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The invoices on the web.
 */
@RestController
@RequestMapping("/invoices")
@Profile("postgres")
class InvoiceController {

	private final Invoices invoices;

	InvoiceController(Invoices invoices) {
		this.invoices = invoices;
	}

	@PostMapping
	Enqueued sell(@RequestBody WriteInvoice invoice) {
		return this.invoices.sell(invoice);
	}

	@GetMapping
	List<WriteInvoice> written() {
		return this.invoices.written();
	}

}
