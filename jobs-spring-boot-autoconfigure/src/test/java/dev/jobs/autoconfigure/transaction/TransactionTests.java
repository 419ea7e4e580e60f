package dev.jobs.autoconfigure.transaction;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobHandler;
import dev.jobs.JobListener;
import dev.jobs.JobRequest;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.Unique;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Received;
import dev.jobs.serialization.PayloadException;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.engine.FaultyStore;
import dev.jobs.store.contract.engine.FaultyStore.Verb;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for enqueues within Spring transactions.
 */
@ExtendWith(OutputCaptureExtension.class)
class TransactionTests {

	private final ApplicationContextRunner runner = Contexts.runner()
		.withUserConfiguration(Transactions.class)
		.withPropertyValues("jobs.worker.enabled=false");

	private void run(Body body) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			body.run(new Application(context.getBean(JobClient.class), context.getBean(FaultyStore.class),
					context.getBean(PlainTransactions.class), context.getBean(Published.class), context));
		});
	}

	@Test
	void jobIsStoredAfterTheCommitUnderTheIdThatWasReturned() {
		run((application) -> {
			Enqueued enqueued = application.inTransaction(() -> {
				Enqueued deferred = application.client()
					.enqueue("work", 1, (options) -> options.delay(Duration.ofHours(1)));
				assertThat(application.stored()).isEmpty();
				return deferred;
			});
			assertThat(enqueued.outcome()).isEqualTo(Outcome.DEFERRED);
			assertThat(enqueued.isNew()).isFalse();
			assertThat(application.jobs()).singleElement().satisfies((job) -> {
				assertThat(job.id()).isEqualTo(enqueued.id());
				assertThat(job.dueAt()).isEqualTo(enqueued.dueAt());
			});
			assertThat(application.published(JobEvent.Accepted.class)).hasSize(1);
		});
	}

	@Test
	void jobIsNeverStoredAfterARollback() {
		run((application) -> {
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				application.client().enqueue("work", 1);
				application.client().enqueueAll(List.of(JobRequest.named("work").payload(2)));
				assertThat(application.client().tryEnqueue(JobRequest.named("work").payload(3)).isFull()).isFalse();
				throw new IllegalStateException("no");
			}));
			application.inTransaction(() -> application.client().enqueue("work", 4));
			assertThat(application.stored()).containsExactlyInAnyOrder("4");
			assertThat(application.published(JobEvent.EnqueueFailed.class)).isEmpty();
		});
	}

	@Test
	void jobsOfATransactionAreStoredTogetherInOrder() {
		run((application) -> {
			application.inTransaction(() -> {
				application.client().enqueue("work", 1);
				application.client()
					.enqueueAll(IntStream.range(2, 5).mapToObj((i) -> JobRequest.named("work").payload(i)).toList());
				application.client().enqueue("work", 5);
			});
			assertThat(application.claimed()).containsExactly("1", "2", "3", "4", "5");
			assertThat(application.store().calls(Verb.ENQUEUE)).isEqualTo(1);
		});
	}

	@Test
	void thousandsOfJobsAreStoredInOrder() {
		run((application) -> {
			application
				.inTransaction(() -> IntStream.range(0, 1200).forEach((i) -> application.client().enqueue("work", i)));
			assertThat(application.claimed())
				.containsExactlyElementsOf(IntStream.range(0, 1200).mapToObj(String::valueOf).toList());
		});
	}

	@Test
	void jobIsStoredAtOnceWithoutATransaction() {
		run((application) -> {
			assertThat(application.client().enqueue("work", 1).isNew()).isTrue();
			TransactionTemplate none = application.template();
			none.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
			none.executeWithoutResult((status) -> assertThat(application.client().enqueue("work", 2).isNew()).isTrue());
		});
	}

	@Test
	void readOnlyTransactionIsWaitedForToo() {
		run((application) -> {
			TransactionTemplate readOnly = application.template();
			readOnly.setReadOnly(true);
			readOnly.executeWithoutResult((status) -> {
				assertThat(application.client().enqueue("work", 1).outcome()).isEqualTo(Outcome.DEFERRED);
				assertThat(application.stored()).isEmpty();
			});
			assertThat(application.stored()).containsExactlyInAnyOrder("1");
		});
	}

	@Test
	void callMayIgnoreTheTransaction() {
		run((application) -> {
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				application.client().enqueue("work", 1);
				assertThat(application.client().enqueue("work", 2, (options) -> options.ignoreTransaction()).isNew())
					.isTrue();
				List<Enqueued> both = application.client()
					.enqueueAll(List.of(JobRequest.named("work").payload(3),
							JobRequest.named("work").payload(4).options((set) -> set.ignoreTransaction()),
							JobRequest.named("work").payload(5)));
				assertThat(both).extracting(Enqueued::outcome)
					.containsExactly(Outcome.DEFERRED, Outcome.NEW, Outcome.DEFERRED);
				throw new IllegalStateException("no");
			}));
			assertThat(application.stored()).containsExactlyInAnyOrder("2", "4");
		});
	}

	@Test
	void propertyLetsEnqueuesIgnoreTransactions() {
		this.runner.withPropertyValues("jobs.transactions=ignore").run((context) -> {
			JobClient client = Contexts.client(context);
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> assertThat(client.enqueue("work", 1).isNew()).isTrue());
		});
	}

	@Test
	void innerTransactionOfItsOwnIsIndependent() {
		run((application) -> {
			TransactionTemplate inner = application.template();
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				application.client().enqueue("work", "outer");
				inner.executeWithoutResult((status) -> application.client().enqueue("work", "inner"));
				assertThat(application.stored()).containsExactlyInAnyOrder("\"inner\"");
				application.client().enqueue("work", "outer again");
				throw new IllegalStateException("no");
			}));
			assertThat(application.stored()).containsExactlyInAnyOrder("\"inner\"");
			application.inTransaction(() -> {
				application.client().enqueue("work", 1);
				inner.executeWithoutResult((status) -> {
					application.client().enqueue("work", 2);
					status.setRollbackOnly();
				});
				application.client().enqueue("work", 3);
			});
			assertThat(application.claimed()).containsExactly("\"inner\"", "1", "3");
		});
	}

	@Test
	void suspendedTransactionIsNotThatOfTheCall() {
		run((application) -> {
			TransactionTemplate outside = application.template();
			outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
			application.inTransaction(() -> {
				application.client().enqueue("work", 1);
				outside.executeWithoutResult(
						(status) -> assertThat(application.client().enqueue("work", 2).isNew()).isTrue());
			});
			assertThat(application.claimed()).containsExactly("2", "1");
		});
	}

	@Test
	void rollbackToASavepointForgetsWhatWasEnqueuedSince() {
		run((application) -> {
			TransactionTemplate nested = application.template();
			nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
			application.inTransaction(() -> {
				nested.executeWithoutResult((status) -> {
					application.client().enqueue("work", 1);
					status.setRollbackOnly();
				});
				application.client().enqueue("work", 2);
				nested.executeWithoutResult((status) -> application.client().enqueue("work", 3));
				nested.executeWithoutResult((status) -> {
					application.client().enqueue("work", 4);
					status.setRollbackOnly();
				});
				application.client().enqueue("work", 5);
			});
			assertThat(application.claimed()).containsExactly("2", "3", "5");
		});
	}

	@Test
	void listenersOfEveryPhaseMayEnqueue() {
		run((application) -> {
			application.inTransaction(() -> application.publisher().publishEvent("order"));
			assertThat(application.stored()).containsExactlyInAnyOrder("\"BEFORE_COMMIT\"", "\"AFTER_COMMIT\"",
					"\"AFTER_COMPLETION\"");
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				application.publisher().publishEvent("order");
				throw new IllegalStateException("no");
			}));
			assertThat(application.stored()).hasSize(5).containsOnlyOnce("\"AFTER_ROLLBACK\"", "\"AFTER_COMMIT\"");
		});
	}

	@Test
	void callbackAfterTheCommitMayEnqueueAndMayFail() {
		run((application) -> {
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						application.client().enqueue("work", 2);
						throw new IllegalStateException("no");
					}

				});
				application.client().enqueue("work", 1);
			}));
			assertThat(application.stored()).containsExactlyInAnyOrder("1", "2");
			assertThat(application.client().enqueue("work", 3).isNew()).isTrue();
		});
	}

	@Test
	@ExpectsFaults("Enqueue after commit")
	void faultAfterTheCommitIsLoggedAndDoesNotReachTheCaller(CapturedOutput output) {
		run((application) -> {
			application.store().failToSend(Verb.ENQUEUE, 2);
			Enqueued enqueued = application.inTransaction(() -> application.client().enqueue("work", 1));
			assertThat(application.stored()).isEmpty();
			assertThat(application.published(JobEvent.EnqueueFailed.class)).singleElement().satisfies((event) -> {
				assertThat(event.job().id()).isEqualTo(enqueued.id());
				assertThat(event.job().payload()).isEqualTo("1".getBytes());
				assertThat(event.inDoubt()).isFalse();
				assertThat(event.cause()).hasMessageContaining("was not sent");
			});
			assertThat(output).containsOnlyOnce("Enqueue after commit failed ('work' " + enqueued.id() + "): ");
		});
	}

	@Test
	@ExpectsFaults("Enqueue after commit")
	void lostReplyAfterTheCommitIsReportedAsDoubt(CapturedOutput output) {
		run((application) -> {
			application.store().loseReplies(Verb.ENQUEUE, 2);
			Enqueued enqueued = application.inTransaction(() -> application.client().enqueue("work", 1));
			assertThat(application.stored()).containsExactlyInAnyOrder("1");
			assertThat(application.published(JobEvent.EnqueueFailed.class)).singleElement()
				.matches(JobEvent.EnqueueFailed::inDoubt);
			assertThat(output).contains("Enqueue after commit unconfirmed", enqueued.id());
		});
	}

	@Test
	@ExpectsFaults("Enqueue after commit")
	void faultAmidThousandsOfJobsIsReportedForEachJobLeft(CapturedOutput output) {
		run((application) -> {
			application.client().enqueue("work", -1);
			application.store().down(true);
			application
				.inTransaction(() -> IntStream.range(0, 1200).forEach((i) -> application.client().enqueue("work", i)));
			assertThat(application.published(JobEvent.EnqueueFailed.class)).hasSize(1200);
			assertThat(application.store().calls(Verb.ENQUEUE)).isEqualTo(1 + 2);
			assertThat(output.getOut().lines().filter((line) -> line.contains("Enqueue after commit failed")))
				.hasSize(2);
		});
	}

	@Test
	void unreachableStoreFailsTheTransactionAndNothingAfterIt() {
		run((application) -> {
			application.store().down(true);
			assertThatExceptionOfType(JobStoreException.class)
				.isThrownBy(() -> application.inTransaction(() -> application.client().enqueue("work", 1)))
				.matches(JobStoreException::isTemporary);
			assertThat(application.published(JobEvent.EnqueueFailed.class)).isEmpty();
			assertThat(application.store().calls(Verb.ENQUEUE)).isZero();
		});
	}

	@Test
	@ExpectsFaults("Enqueue after commit")
	void fullQueueAfterTheCommitIsReported() {
		run((application) -> {
			application.inTransaction(() -> {
				for (int i = 0; i < 3; i++) {
					assertThat(application.client().enqueue("work", i, (options) -> options.maxWaiting(2)).outcome())
						.isEqualTo(Outcome.DEFERRED);
				}
			});
			assertThat(application.claimed()).containsExactly("0", "1");
			assertThat(application.published(JobEvent.EnqueueFailed.class)).singleElement()
				.matches((event) -> event.error().equals("The queue is full") && !event.inDoubt());
			assertThat(application.published(JobEvent.Rejected.class)).hasSize(1);
		});
	}

	@Test
	void roomIsWaitedForAfterTheCommit() {
		run((application) -> {
			Enqueued first = application.client().enqueue("work", 1);
			Thread cancelling = new Thread(() -> {
				while (application.published(JobEvent.Rejected.class).isEmpty()) {
					Thread.onSpinWait();
				}
				application.client().cancel(first.id());
			});
			cancelling.start();
			application.inTransaction(() -> application.client()
				.enqueue("work", 2, (options) -> options.maxWaiting(1).waitForRoom(Duration.ofMinutes(1))));
			cancelling.join();
			assertThat(application.stored()).containsExactlyInAnyOrder("2");
			assertThat(application.published(JobEvent.EnqueueFailed.class)).isEmpty();
		});
	}

	@Test
	void duplicateAfterTheCommitIsNoFault() {
		run((application) -> {
			Consumer<EnqueueOptions.Builder> unique = (set) -> set.unique(Unique.byKey("k"));
			application.client().enqueue("work", 1, unique);
			application.inTransaction(() -> application.client().enqueue("work", 2, unique));
			assertThat(application.stored()).containsExactlyInAnyOrder("1");
			assertThat(application.published(JobEvent.EnqueueFailed.class)).isEmpty();
		});
	}

	@Test
	void badPayloadIsRefusedWithinTheTransaction() {
		run((application) -> application.inTransaction(() -> {
			assertThatExceptionOfType(PayloadException.class)
				.isThrownBy(() -> application.client().enqueue("work", "x".repeat(2 << 20)));
		}));
	}

	@Test
	@ExpectsFaults("Enqueue after commit")
	void unknownFateOfTheTransactionIsReported(CapturedOutput output) {
		run((application) -> {
			application.transactions().failCommits(true);
			assertThatExceptionOfType(TransactionSystemException.class)
				.isThrownBy(() -> application.inTransaction(() -> {
					application.client().enqueue("work", 1);
				}));
			assertThat(application.stored()).isEmpty();
			assertThat(application.published(JobEvent.EnqueueFailed.class)).singleElement()
				.matches(JobEvent.EnqueueFailed::inDoubt);
			assertThat(output).contains("It is unknown whether the transaction was committed");
		});
	}

	@Test
	void otherCallsTakePlaceAtOnce() {
		run((application) -> {
			Enqueued enqueued = application.client().enqueue("work", 1);
			application.inTransaction(() -> {
				assertThat(application.client().cancel(enqueued.id())).isTrue();
				assertThat(application.stored()).isEmpty();
			});
		});
	}

	@Test
	void interceptorsAreCalledOnceWithinTheTransaction() {
		run((application) -> {
			application.inTransaction(() -> {
				application.client().enqueue("work", 1);
				assertThat(application.published().intercepted).hasSize(1);
			});
			assertThat(application.published().intercepted).hasSize(1);
		});
	}

	@Test
	void handlerEnqueuesAtOnceUnlessItHasATransaction() {
		this.runner.withUserConfiguration(Chain.class).withPropertyValues("jobs.worker.enabled=true").run((context) -> {
			JobClient client = Contexts.client(context);
			client.enqueue("chain");
			Chain chain = context.getBean(Chain.class);
			assertThat(chain.outcomes.next()).isEqualTo(Outcome.NEW);
			assertThat(chain.outcomes.next()).isEqualTo(Outcome.DEFERRED);
		});
	}

	@Test
	void applicationWithoutTransactionsEnqueuesAtOnce() {
		Contexts.runner()
			.withClassLoader(new FilteredClassLoader("org.springframework.transaction"))
			.run((context) -> assertThat(Contexts.client(context).enqueue("work").isNew()).isTrue());
	}

	@FunctionalInterface
	interface Body {

		void run(Application application) throws Exception;

	}

	record Application(JobClient client, FaultyStore store, PlainTransactions transactions, Published published,
			ApplicationEventPublisher publisher) {

		TransactionTemplate template() {
			return new TransactionTemplate(this.transactions);
		}

		void inTransaction(Runnable work) {
			template().executeWithoutResult((status) -> work.run());
		}

		Enqueued inTransaction(Supplier<Enqueued> work) {
			return Objects.requireNonNull(template().execute((status) -> work.get()));
		}

		List<Job> jobs() {
			JobInspector inspector = this.store.inspector();
			return inspector.page(JobFilter.all(), PageRequest.oldestFirst(1000), Instant.now()).jobs();
		}

		List<String> stored() {
			return jobs().stream().map((job) -> new String(job.payloadPreview())).toList();
		}

		/** Claim the jobs, which shows their order. */
		List<String> claimed() {
			Instant now = Instant.now();
			this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, now));
			ClaimRequest request = new ClaimRequest("w", List.of(Quota.of("work", 5000)), 5000, now);
			return this.store.claim(request)
				.claims()
				.stream()
				.map((claim) -> new String(claim.job().payload()))
				.toList();
		}

		<T extends JobEvent> List<T> published(Class<T> type) {
			return this.published.events.stream().filter(type::isInstance).map(type::cast).toList();
		}

	}

	static final class Published implements JobListener, EnqueueInterceptor {

		private final List<JobEvent> events = new CopyOnWriteArrayList<>();

		private final List<JobRequest> intercepted = new CopyOnWriteArrayList<>();

		@Override
		public void on(JobEvent event) {
			this.events.add(event);
		}

		@Override
		public List<Enqueued> around(List<JobRequest> requests, Next next) {
			this.intercepted.addAll(requests);
			return next.proceed(requests);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		JobStore store() {
			return new FaultyStore(new InMemoryJobStore());
		}

		@Bean
		PlainTransactions transactionManager() {
			return new PlainTransactions();
		}

		@Bean
		Published published() {
			return new Published();
		}

		@Bean
		Phases phases(JobClient client) {
			return new Phases(client);
		}

	}

	static class Phases {

		private final JobClient client;

		Phases(JobClient client) {
			this.client = client;
		}

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		void beforeCommit(String event) {
			this.client.enqueue("work", "BEFORE_COMMIT");
		}

		@TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
		void afterCommit(String event) {
			this.client.enqueue("work", "AFTER_COMMIT");
		}

		@TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
		void afterRollback(String event) {
			this.client.enqueue("work", "AFTER_ROLLBACK");
		}

		@TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
		void afterCompletion(String event) {
			this.client.enqueue("work", "AFTER_COMPLETION");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Chain {

		private final Received outcomes = new Received();

		private final JobClient client;

		private final PlatformTransactionManager transactions;

		Chain(JobClient client, PlatformTransactionManager transactions) {
			this.client = client;
			this.transactions = transactions;
		}

		@JobHandler("chain")
		void chain() {
			this.outcomes.add(this.client.enqueue("next").outcome());
			new TransactionTemplate(this.transactions)
				.executeWithoutResult((status) -> this.outcomes.add(this.client.enqueue("next").outcome()));
		}

	}

}
