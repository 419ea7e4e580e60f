package dev.jobs.store.contract;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Unique.Mode;
import dev.jobs.Unique.OnDuplicate;
import dev.jobs.Unique.Scope;
import dev.jobs.Urgency;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.JobInspector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests all combinations of the rules common to all stores: whether a job holds its key,
 * by the key's mode and the job's state; the effect of a change, by the state; whether a
 * filter selects a job.
 */
abstract class RuleContract extends ContractPart {

	private static final byte[] ANOTHER = "another".getBytes(StandardCharsets.UTF_8);

	RuleContract(StoreSource source) {
		super(source);
	}

	static Stream<Arguments> modesAndStates() {
		return Stream.of(Mode.values())
			.flatMap((mode) -> Stream.of(JobState.values())
				.filter((state) -> state != JobState.WAITING)
				.map((state) -> Arguments.of(mode, state)));
	}

	static Stream<Arguments> changesModesAndStates() {
		return Stream.of(Kind.values())
			.flatMap(
					(kind) -> modesAndStates().map(Arguments::get).map((rest) -> Arguments.of(kind, rest[0], rest[1])));
	}

	private static NewJob.UniqueKey key(Mode mode) {
		return new NewJob.UniqueKey("digest", mode, Scope.HANDLER, null, OnDuplicate.KEEP);
	}

	private boolean isHeld(Mode mode) {
		return enqueue(with(job("q"), key(mode))).outcome() == Outcome.DUPLICATE;
	}

	private Job jobIn(JobState state, Mode mode) {
		NewJob added = with(job("q", (state == JobState.SCHEDULED) ? after(60_000) : this.now), key(mode));
		enqueue(added);
		pass(1);
		if (!state.isWaiting()) {
			bringTo(state, claimOne("w", "q"));
		}
		pass(1);
		assertThat(state(added.id())).isEqualTo(state);
		return find(added.id());
	}

	private void bringTo(JobState state, Claim claim) {
		switch (state) {
			case DEAD -> kill(claim);
			case SUCCEEDED -> settle(Transition.kept(claim, this.now, claim.job().trail()));
			case CANCELLED -> settle(Transition.cancelled(claim, this.now, claim.job().trail()));
			case RUNNING, SCHEDULED, READY, WAITING -> {
			}
		}
	}

	@ParameterizedTest
	@MethodSource("dev.jobs.store.contract.RuleContract#modesAndStates")
	void keyIsHeldInTheStatesOfItsMode(Mode mode, JobState state) {
		jobIn(state, mode);
		assertThat(isHeld(mode)).isEqualTo(key(mode).isHeldIn(state));
	}

	@ParameterizedTest
	@EnumSource
	void keyIsTakenAgainByAReleaseToTheFront(Mode mode) {
		jobIn(JobState.READY, mode);
		Claim claim = claimOne("w", "q");
		settle(Transition.released(claim, this.now, claim.job().trail()));
		assertThat(isHeld(mode)).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void keyIsNotTakenAgainByWaitingForAnotherAttempt(Mode mode) {
		jobIn(JobState.READY, mode);
		Claim claim = claimOne("w", "q");
		settle(Transition.scheduled(claim, after(1000), failed(claim)));
		assertThat(isHeld(mode)).isEqualTo(key(mode).isHeldIn(JobState.RUNNING));
	}

	@ParameterizedTest
	@EnumSource
	void keyOfAnotherRefusesTheRetryOfADeadJobThatNeedsIt(Mode mode) {
		Job dead = jobIn(JobState.DEAD, mode);
		boolean taken = !isHeld(mode);
		Changed expected = (taken && key(mode).isTakenByRetry()) ? Changed.REFUSED : Changed.DONE;
		assertThat(change(new Change.Retry(dead.id()))).isEqualTo(expected);
	}

	@ParameterizedTest
	@MethodSource("dev.jobs.store.contract.RuleContract#changesModesAndStates")
	void changeHasItsEffectInEachState(Kind kind, Mode mode, JobState state) {
		Job before = jobIn(state, mode);
		Instant dueAt = kind.dueAt(this.now);
		Change.OfJob change = kind.of(before.id(), dueAt);
		Changed changed = change(change);
		switch (change.effectIn(state)) {
			case REMOVED -> {
				assertThat(changed).isEqualTo(Changed.DONE);
				assertThat(exists(before.id())).isFalse();
				assertThat(isHeld(mode)).isFalse();
			}
			case CANCEL_REQUESTED -> {
				assertThat(changed).isEqualTo(Changed.DONE);
				assertThat(find(before.id()).run()).matches((run) -> run != null && run.cancelRequested());
				assertThat(isHeld(mode)).isEqualTo(key(mode).isHeldIn(state));
			}
			case MOVED -> {
				assertThat(changed).isEqualTo(Changed.DONE);
				assertMoved(find(before.id()), dueAt);
				assertThat(find(before.id()).trail()).isEqualTo(before.trail());
				assertThat(isHeld(mode)).isTrue();
			}
			case REVIVED -> {
				assertThat(changed).isEqualTo(Changed.DONE);
				assertMoved(find(before.id()), dueAt);
				assertThat(find(before.id()).trail()).isEqualTo(TrailBuilder.retried(before.trail()));
				assertThat(isHeld(mode)).isEqualTo(key(mode).isTakenByRetry());
			}
			case PAYLOAD_REPLACED -> {
				assertThat(changed).isEqualTo(Changed.DONE);
				assertThat(find(before.id()).payload()).isEqualTo(ANOTHER);
				assertThat(find(before.id()).toBuilder().payload(before.payload()).build()).isEqualTo(before);
				assertThat(isHeld(mode)).isTrue();
			}
			case STANDING_SET -> {
				assertThat(changed).isEqualTo(Changed.DONE);
				assertThat(find(before.id()).urgency()).isEqualTo(Urgency.LOW);
				assertThat(find(before.id()).toBuilder().headers(before.headers()).build()).isEqualTo(before);
				assertThat(isHeld(mode)).isTrue();
			}
			case NONE -> {
				assertThat(changed).isEqualTo(Changed.DONE);
				assertUnchanged(before, mode);
			}
			case REFUSED -> {
				assertThat(changed).isEqualTo(Changed.REFUSED);
				assertUnchanged(before, mode);
			}
		}
	}

	@Test
	void filterSelectsTheJobsThatFitIt() {
		List<ListedJob> jobs = jobsOfAllKinds();
		JobInspector inspector = this.store.inspector();
		filters(jobs).forEach((filter) -> {
			Predicate<Job> contained = ListedJob.containing(filter);
			List<String> fitting = jobs.stream()
				.filter((seen) -> seen.fits(filter) && contained.test(seen.job()))
				.map((seen) -> seen.job().id())
				.toList();
			JobPage page = inspector.page(filter, PageRequest.oldestFirst(100), this.now);
			assertThat(page.jobs()).as(filter.toString())
				.extracting(Job::id)
				.containsExactlyInAnyOrderElementsOf(fitting);
			assertThat(inspector.count(filter, 100, this.now)).as(filter.toString())
				.isEqualTo(JobCount.exactly(fitting.size()));
		});
	}

	private static Stream<JobFilter> filters(List<ListedJob> jobs) {
		Instant middle = jobs.get(jobs.size() / 2).since();
		return Stream
			.concat(Stream.of(JobFilter.all(), JobFilter.of((only) -> only.states(JobState.DEAD, JobState.READY))),
					Stream.of(JobState.values()).map((state) -> JobFilter.of((only) -> only.states(state))))
			.flatMap((filter) -> Stream.of(filter, filter.with((only) -> only.name("a"))))
			.flatMap((filter) -> Stream.of(filter, filter.with((only) -> only.retrying(true)),
					filter.with((only) -> only.retrying(false))))
			.flatMap((filter) -> Stream.of(filter, filter.with((only) -> only.since(middle)),
					filter.with((only) -> only.before(middle))))
			.flatMap((filter) -> Stream.of(filter, filter.with((only) -> only.tag("customer:42")),
					filter.with((only) -> only.text("NEEDLE"))));
	}

	/**
	 * Store jobs in each state in each of two queues, with and without a tag, a text and
	 * a failure.
	 */
	private List<ListedJob> jobsOfAllKinds() {
		Map<String, Instant> since = new LinkedHashMap<>();
		for (String queue : List.of("a", "b")) {
			for (String tag : List.of("", "customer:42")) {
				for (JobState state : List.of(JobState.RUNNING, JobState.DEAD, JobState.SUCCEEDED,
						JobState.CANCELLED)) {
					since.put(claimedJobIn(state, added(queue, tag, "")), this.now);
					since.put(claimedJobIn(state, failedJob(added(queue, tag, "needle"), this.now)), this.now);
				}
			}
			for (String tag : List.of("", "customer:42")) {
				since.put(failedJob(added(queue, tag, "needle"), after(1000)), after(1000));
				since.put(failedJob(added(queue, tag, ""), after(60_000)), after(60_000));
				pass(1);
				since.put(added(queue, tag, "needle", after(60_000)), after(60_000));
				pass(1);
			}
		}
		for (String queue : List.of("a", "b")) {
			for (String tag : List.of("", "customer:42")) {
				pass(1);
				since.put(added(queue, tag, ""), this.now);
			}
		}
		pass(2000);
		return since.entrySet().stream().map((entry) -> new ListedJob(find(entry.getKey()), entry.getValue())).toList();
	}

	private String added(String queue, String tag, String text) {
		return added(queue, tag, text, this.now);
	}

	private String added(String queue, String tag, String text, Instant dueAt) {
		NewJob job = with(job(queue, dueAt), text.getBytes(StandardCharsets.UTF_8));
		Map<String, String> headers = tag.isEmpty() ? Map.of() : Map.of(Job.TAGS_HEADER, tag);
		return enqueue(NewJob.of(job.id(), queue, job.payload(), this.now).withHeaders(headers).withDueAt(dueAt)).id();
	}

	private String failedJob(String id, Instant dueAt) {
		Claim claim = claimOne("w", find(id).name());
		assertThat(claim.job().id()).isEqualTo(id);
		settle(Transition.scheduled(claim, dueAt, failed(claim)));
		return id;
	}

	private String claimedJobIn(JobState state, String id) {
		pass(1);
		Claim claim = claimOne("w", find(id).name());
		assertThat(claim.job().id()).isEqualTo(id);
		bringTo(state, claim);
		return id;
	}

	private void assertMoved(Job job, Instant dueAt) {
		assertThat(job.dueAt()).isEqualTo(dueAt);
		assertThat(job.state()).isEqualTo(dueAt.isAfter(this.now) ? JobState.SCHEDULED : JobState.READY);
	}

	private void assertUnchanged(Job before, Mode mode) {
		assertThat(find(before.id())).usingRecursiveComparison().isEqualTo(before);
		assertThat(isHeld(mode)).isEqualTo(key(mode).isHeldIn(before.state()));
	}

	/**
	 * The changes of a job.
	 */
	enum Kind {

		CANCEL((id, dueAt) -> new Change.Cancel(id)),

		DELETE((id, dueAt) -> new Change.Delete(id)),

		RESCHEDULE_TO_LATER(Change.Reschedule::new),

		RESCHEDULE_TO_NOW(Change.Reschedule::new),

		RETRY((id, dueAt) -> new Change.Retry(id)),

		REPLACE_PAYLOAD((id, dueAt) -> new Change.ReplacePayload(id, ANOTHER)),

		SET_URGENCY((id, dueAt) -> Change.SetStanding.urgency(id, Urgency.LOW));

		private final BiFunction<String, Instant, Change.OfJob> change;

		Kind(BiFunction<String, Instant, Change.OfJob> change) {
			this.change = change;
		}

		Change.OfJob of(String id, Instant dueAt) {
			return this.change.apply(id, dueAt);
		}

		Instant dueAt(Instant now) {
			return (this == RESCHEDULE_TO_LATER) ? now.plusSeconds(90) : now;
		}

	}

}
