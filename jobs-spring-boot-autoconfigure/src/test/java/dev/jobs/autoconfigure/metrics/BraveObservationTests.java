package dev.jobs.autoconfigure.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import brave.Tracing;
import brave.context.slf4j.MDCScopeDecorator;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.ThreadLocalCurrentTraceContext;
import brave.propagation.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.brave.bridge.BraveBaggageManager;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BraveFinishedSpan;
import io.micrometer.tracing.brave.bridge.BravePropagator;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.micrometer.tracing.exporter.FinishedSpan;
import io.micrometer.tracing.propagation.Propagator;
import org.junit.jupiter.api.AfterEach;

/**
 * Tests for observation with Brave.
 */
class BraveObservationTests extends JobsObservationSuite {

	private final List<FinishedSpan> spans = new CopyOnWriteArrayList<>();

	private final Tracing tracing = Tracing.newBuilder()
		.currentTraceContext(
				ThreadLocalCurrentTraceContext.newBuilder().addScopeDecorator(MDCScopeDecorator.get()).build())
		.addSpanHandler(new SpanHandler() {

			@Override
			public boolean end(TraceContext context, MutableSpan span, Cause cause) {
				return BraveObservationTests.this.spans.add(BraveFinishedSpan.fromBrave(span));
			}

		})
		.build();

	private final Tracer tracer = new BraveTracer(this.tracing.tracer(),
			new BraveCurrentTraceContext(this.tracing.currentTraceContext()), new BraveBaggageManager());

	@AfterEach
	void close() {
		this.tracing.close();
	}

	@Override
	Tracer tracer() {
		return this.tracer;
	}

	@Override
	Propagator propagator() {
		return new BravePropagator(this.tracing);
	}

	@Override
	List<FinishedSpan> spans() {
		return this.spans;
	}

}
