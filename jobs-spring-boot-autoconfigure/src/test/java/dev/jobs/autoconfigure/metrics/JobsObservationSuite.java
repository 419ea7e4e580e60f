package dev.jobs.autoconfigure.metrics;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
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
import io.micrometer.tracing.exporter.FinishedSpan;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * What is promised about the observation of enqueues and runs, with a real tracer. Each
 * bridge to a library for tracing runs all of it.
 */
abstract class JobsObservationSuite {

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final ApplicationContextRunner runner = Contexts.runner()
		.withConfiguration(AutoConfigurations.of(JobsObservationAutoConfiguration.class))
		.withPropertyValues("jobs.worker.enabled=false")
		.withBean(ObservationRegistry.class, () -> this.registry)
		.withBean(Handlers.class, () -> new Handlers(tracer(), this.registry));

	private final Logger logger = (Logger) LoggerFactory.getLogger(JobEngine.class.getPackageName());

	private final ListAppender<ILoggingEvent> log = new ListAppender<>() {

		@Override
		protected void append(ILoggingEvent line) {
			line.prepareForDeferredProcessing();
			super.append(line);
		}

	};

	abstract Tracer tracer();

	abstract Propagator propagator();

	/**
	 * Return the spans that have ended.
	 */
	abstract List<FinishedSpan> spans();

	@BeforeEach
	void listen() {
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void stopListening() {
		this.logger.detachAppender(this.log);
	}

	private void trace() {
		this.registry.observationConfig()
			.observationHandler(new FirstMatchingCompositeObservationHandler(
					new PropagatingSenderTracingObservationHandler<>(tracer(), propagator()),
					new PropagatingReceiverTracingObservationHandler<>(tracer(), propagator()),
					new DefaultTracingObservationHandler(tracer())));
	}

	@Test
	void runIsLinkedToTheRequestThatEnqueuedIt() {
		trace();
		this.runner.run((context) -> {
			JobClient client = context.getBean(JobClient.class);
			Enqueued enqueued = Observation.createNotStarted("request", this.registry)
				.observe(() -> client.enqueue("work", Map.of()));
			context.getBean(JobEngine.class).runUntilIdle();
			FinishedSpan request = span("request");
			FinishedSpan enqueue = span("enqueue work");
			FinishedSpan run = span("process work");
			assertThat(enqueue.getParentId()).isEqualTo(request.getSpanId());
			assertThat(enqueue.getKind()).isEqualTo(Span.Kind.PRODUCER);
			assertThat(enqueue.getTags()).containsOnly(entry("job.id", enqueued.id()), entry("handler", "work"),
					entry("outcome", "new"));
			assertThat(run.getTraceId()).isEqualTo(request.getTraceId());
			assertThat(run.getParentId()).isEqualTo(enqueue.getSpanId());
			assertThat(run.getKind()).isEqualTo(Span.Kind.CONSUMER);
			assertThat(run.getTags()).containsEntry("handler", "work")
				.containsEntry("result", "done")
				.containsEntry("job.id", enqueued.id())
				.containsEntry("job.attempt", "1");
			Handlers handlers = context.getBean(Handlers.class);
			assertThat(handlers.traces).containsExactly(request.getTraceId());
			assertThat(handlers.captured).containsExactly(request.getTraceId());
			assertThat(tracer().currentSpan()).isNull();
		});
	}

	@Test
	void jobsEnqueuedTogetherShareOneObservation() {
		trace();
		this.runner.run((context) -> {
			context.getBean(JobClient.class)
				.enqueueAll(List.of(JobRequest.named("work").payload(1), JobRequest.named("work").payload(2)));
			context.getBean(JobEngine.class).runUntilIdle();
			assertThat(span("enqueue work").getTags()).containsEntry("jobs.count", "2");
			assertThat(spans()).filteredOn((span) -> span.getName().equals("process work"))
				.hasSize(2)
				.allMatch((span) -> span.getParentId().equals(span("enqueue work").getSpanId()));
		});
	}

	@Test
	void failureIsObserved() {
		trace();
		this.runner.run((context) -> {
			context.getBean(JobClient.class).enqueue("fail", Map.of());
			context.getBean(JobEngine.class).runUntilIdle();
			assertThat(span("process fail").getError()).hasMessage("broken");
			assertThat(span("process fail").getTags()).containsEntry("result", "threw");
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
			assertThat(spans()).isEmpty();
		});
	}

	@Test
	void linesAboutTheEndOfARunCarryItsTrace() {
		trace();
		this.runner.run((context) -> {
			context.getBean(JobClient.class).enqueue("fail", Map.of());
			context.getBean(JobClient.class).enqueue("give-up", Map.of());
			context.getBean(JobEngine.class).runUntilIdle();
			for (String name : List.of("fail", "give-up")) {
				FinishedSpan run = span("process " + name);
				assertThat(this.log.list)
					.filteredOn((line) -> line.getLevel().isGreaterOrEqual(Level.WARN)
							&& name.equals(line.getMDCPropertyMap().get("job.name")))
					.singleElement()
					.satisfies((line) -> assertThat(line.getMDCPropertyMap())
						.contains(entry("traceId", run.getTraceId()), entry("spanId", run.getSpanId())));
			}
			assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
		});
	}

	private FinishedSpan span(String name) {
		return spans().stream()
			.filter((span) -> name.equals(span.getName()))
			.findFirst()
			.orElseThrow(() -> new AssertionError(name + " is not in " + spans()));
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
		void work(@Nullable JsonNode payload, JobContext context) throws InterruptedException {
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

		@JobHandler("give-up")
		JobResult giveUp() {
			return JobResult.discard().message("no");
		}

		private String trace() {
			Span span = this.tracer.currentSpan();
			return (span != null) ? span.context().traceId() : "none";
		}

	}

}
