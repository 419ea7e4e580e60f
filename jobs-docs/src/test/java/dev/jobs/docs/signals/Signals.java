package dev.jobs.docs.signals;

import dev.jobs.Signal;
import dev.jobs.docs.signals.Orders.Shipped;

interface Signals {

	Signal<Shipped> SHIPPED = Signal.of("shipped", Shipped.class);

}
