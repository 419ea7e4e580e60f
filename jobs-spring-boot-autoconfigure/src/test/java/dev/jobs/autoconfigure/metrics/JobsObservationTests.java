package dev.jobs.autoconfigure.metrics;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import brave.Tracing;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.TraceContext;
import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.engine.JobEngine;
import dev.jobs.metrics.JobRunContext;
import dev.jobs.metrics.JobRunObservationConvention;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.brave.bridge.BraveBaggageManager;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BravePropagator;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for the observation of enqueues and runs, with a real tracer.
 */
class JobsObservationTests {

	private final List<MutableSpan> spans = new CopyOnWriteArrayList<>();

	private final Tracing tracing = Tracing.newBuilder().addSpanHandler(new SpanHandler() {

		@Override
		public boolean end(TraceContext context, MutableSpan span, Cause cause) {
			return JobsObservationTests.this.spans.add(span);
		}

	}).build();

	private final Tracer tracer = new BraveTracer(this.tracing.tracer(),
			new BraveCurrentTraceContext(this.tracing.currentTraceContext()), new BraveBaggageManager());

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final ApplicationContextRunner runner = Contexts.runner()
		.withConfiguration(AutoConfigurations.of(JobsObservationAutoConfiguration.class))
		.withPropertyValues("jobs.worker.enabled=false")
		.withBean(ObservationRegistry.class, () -> this.registry)
		.withBean(Handlers.class, () -> new Handlers(this.tracer, this.registry));

	@AfterEach
	void close() {
		this.tracing.close();
	}

	private void trace() {
		BravePropagator propagator = new BravePropagator(this.tracing);
		this.registry.observationConfig()
			.observationHandler(new FirstMatchingCompositeObservationHandler(
					new PropagatingSenderTracingObservationHandler<>(this.tracer, propagator),
					new PropagatingReceiverTracingObservationHandler<>(this.tracer, propagator),
					new DefaultTracingObservationHandler(this.tracer)));
	}

	@Test
	void runIsLinkedToTheRequestThatEnqueuedIt() {
		trace();
		this.runner.run((context) -> {
			JobClient client = context.getBean(JobClient.class);
			Enqueued enqueued = Observation.createNotStarted("request", this.registry)
				.observe(() -> client.enqueue("work", Map.of()));
			context.getBean(JobEngine.class).runUntilIdle();
			MutableSpan request = span("request");
			MutableSpan enqueue = span("enqueue work");
			MutableSpan run = span("process work");
			assertThat(enqueue.parentId()).isEqualTo(request.id());
			assertThat(enqueue.kind()).isEqualTo(brave.Span.Kind.PRODUCER);
			assertThat(enqueue.tags()).containsOnly(entry("job.id", enqueued.id()), entry("handler", "work"),
					entry("outcome", "new"));
			assertThat(run.traceId()).isEqualTo(request.traceId());
			assertThat(run.parentId()).isEqualTo(enqueue.id());
			assertThat(run.kind()).isEqualTo(brave.Span.Kind.CONSUMER);
			assertThat(run.tags()).containsEntry("handler", "work")
				.containsEntry("result", "done")
				.containsEntry("job.id", enqueued.id())
				.containsEntry("job.attempt", "1");
			Handlers handlers = context.getBean(Handlers.class);
			assertThat(handlers.traces).containsExactly(request.traceId());
			assertThat(handlers.captured).containsExactly(request.traceId());
			assertThat(this.tracer.currentSpan()).isNull();
		});
	}

	@Test
	void jobsEnqueuedTogetherShareOneObservation() {
		trace();
		this.runner.run((context) -> {
			context.getBean(JobClient.class)
				.enqueueAll(List.of(JobRequest.named("work").payload(1), JobRequest.named("work").payload(2)));
			context.getBean(JobEngine.class).runUntilIdle();
			assertThat(span("enqueue work").tags()).containsEntry("jobs.count", "2");
			assertThat(this.spans).filteredOn((span) -> span.name().equals("process work"))
				.hasSize(2)
				.allMatch((span) -> span.parentId().equals(span("enqueue work").id()));
		});
	}

	@Test
	void failureIsObserved() {
		trace();
		this.runner.run((context) -> {
			context.getBean(JobClient.class).enqueue("fail", Map.of());
			context.getBean(JobEngine.class).runUntilIdle();
			assertThat(span("process fail").error()).hasMessage("broken");
			assertThat(span("process fail").tags()).containsEntry("result", "threw");
		});
	}

	@Test
	void conventionOfTheApplicationIsAsked() {
		trace();
		this.runner.withBean(JobRunObservationConvention.class, () -> new JobRunObservationConvention() {

			@Override
			public String getContextualName(JobRunContext context) {
				return "my " + context.getRun().name();
			}

		}).run((context) -> {
			context.getBean(JobClient.class).enqueue("work", Map.of());
			context.getBean(JobEngine.class).runUntilIdle();
			assertThat(span("my work")).isNotNull();
		});
	}

	@Test
	void withNobodyToObserveNothingTravels() {
		this.runner.run((context) -> {
			JobClient client = context.getBean(JobClient.class);
			Enqueued enqueued = client.enqueue("work", Map.of());
			assertThat(client.find(enqueued.id()).orElseThrow().headers()).isEmpty();
			context.getBean(JobEngine.class).runUntilIdle();
			assertThat(this.spans).isEmpty();
		});
	}

	private MutableSpan span(String name) {
		return this.spans.stream()
			.filter((span) -> name.equals(span.name()))
			.findFirst()
			.orElseThrow(() -> new AssertionError(name + " is not in " + this.spans));
	}

	static class Handlers {

		final List<String> traces = new CopyOnWriteArrayList<>();

		final List<String> captured = new CopyOnWriteArrayList<>();

		private final Tracer tracer;

		private final ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();

		Handlers(Tracer tracer, ObservationRegistry registry) {
			this.tracer = tracer;
			ContextRegistry.getInstance().registerThreadLocalAccessor(new ObservationThreadLocalAccessor(registry));
		}

		@JobHandler("work")
		void work(Object payload, JobContext context) throws InterruptedException {
			this.traces.add(trace());
			Runnable elsewhere = () -> this.captured.add(trace());
			Thread thread = new Thread(this.snapshots.captureAll().wrap(elsewhere));
			thread.start();
			thread.join();
		}

		@JobHandler("fail")
		void fail() {
			throw new IllegalStateException("broken");
		}

		private String trace() {
			Span span = this.tracer.currentSpan();
			return (span != null) ? span.context().traceId() : "none";
		}

	}

}
