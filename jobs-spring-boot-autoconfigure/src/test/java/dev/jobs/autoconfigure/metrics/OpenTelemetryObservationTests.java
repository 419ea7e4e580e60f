package dev.jobs.autoconfigure.metrics;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.exporter.FinishedSpan;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelFinishedSpan;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import org.junit.jupiter.api.AfterEach;

/**
 * Tests for observation with OpenTelemetry.
 */
class OpenTelemetryObservationTests extends JobsObservationSuite {

	private static final Slf4JEventListener LOG_CONTEXT = new Slf4JEventListener();

	static {
		ContextStorage.addWrapper(new EventPublishingContextWrapper(LOG_CONTEXT::onEvent));
	}

	private final Spans spans = new Spans();

	private final SdkTracerProvider provider = SdkTracerProvider.builder()
		.addSpanProcessor(SimpleSpanProcessor.create(this.spans))
		.build();

	private final Tracer tracer = new OtelTracer(this.provider.get("test"), new OtelCurrentTraceContext(),
			LOG_CONTEXT::onEvent);

	@AfterEach
	void close() {
		this.provider.close();
	}

	@Override
	Tracer tracer() {
		return this.tracer;
	}

	@Override
	Propagator propagator() {
		return new OtelPropagator(ContextPropagators.create(W3CTraceContextPropagator.getInstance()),
				this.provider.get("test"));
	}

	@Override
	List<FinishedSpan> spans() {
		return this.spans.ended;
	}

	private static final class Spans implements SpanExporter {

		private final List<FinishedSpan> ended = new CopyOnWriteArrayList<>();

		@Override
		public CompletableResultCode export(Collection<SpanData> spans) {
			spans.forEach((span) -> this.ended.add(OtelFinishedSpan.fromOtel(span)));
			return CompletableResultCode.ofSuccess();
		}

		@Override
		public CompletableResultCode flush() {
			return CompletableResultCode.ofSuccess();
		}

		@Override
		public CompletableResultCode shutdown() {
			return CompletableResultCode.ofSuccess();
		}

	}

}
