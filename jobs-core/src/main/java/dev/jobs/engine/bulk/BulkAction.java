package dev.jobs.engine.bulk;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.jobs.BulkStatus;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Urgency;
import dev.jobs.store.Change;
import dev.jobs.store.support.StoredVersion;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.OperatorSetting;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A bulk action as it is stored: a setting of operators that workers replace step by
 * step, each time only if nobody else has.
 *
 * @param v the version of its stored form
 * @param number grows with each change, so no two stored forms are equal
 * @param id the unique id
 * @param action what is done to the jobs
 * @param jobs selects the jobs
 * @param dueAt the new due time of jobs that are rescheduled
 * @param toLane the new lane of jobs that are moved
 * @param by who started it, or {@code null} if that is not known
 * @param startedAt when it was started
 * @param changedAt when it was stored
 * @param state whether it is under way
 * @param worker the worker that carries it out, or {@code null}
 * @param cursor where to go on, or {@code null} for the beginning of the list
 * @param pass how often the list was read to its end
 * @param again whether jobs were changed since the list was begun
 * @param counted how many jobs it selected when it was started, as far as they were
 * counted
 * @param estimate how many more or less, if not all were counted
 * @param done how many jobs were changed
 * @param skipped how many could not be changed
 * @param failed how many the store refused to change
 * @param error the latest fault, or {@code null}
 */
record BulkAction(int v, long number, String id, Action action, Selected jobs, @Nullable Instant dueAt,
		@Nullable String toLane, @Nullable String by, Instant startedAt, Instant changedAt, State state,
		@Nullable String worker, @Nullable String cursor, int pass, boolean again, long counted,
		@Nullable Long estimate, long done, long skipped, long failed, @Nullable String error) implements BulkStatus {

	static final String KIND = "bulk";

	private static final StoredVersion VERSION = new StoredVersion("a bulk action", 1);

	private static final JsonMapper JSON = JsonMapper.builder()
		.changeDefaultPropertyInclusion((usual) -> usual.withValueInclusion(JsonInclude.Include.NON_NULL))
		.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.build();

	static BulkAction begin(String id, BulkWork work, JobCount total, @Nullable String by) {
		return new BulkAction(VERSION.number(), 0, id, work.action(), Selected.by(work.filter()), work.dueAt(),
				work.toLane(), by, work.begin(), work.begin(), State.RUNNING, null, null, 0, false, total.number(),
				total.exact() ? null : total.estimate(), 0, 0, 0, null);
	}

	/**
	 * Read a stored bulk action.
	 * @return the action, or {@code null} if this version of Jobs cannot read it
	 */
	private static @Nullable BulkAction read(OperatorSetting stored) {
		try {
			JsonNode json = JSON.readTree(stored.value());
			VERSION.require(json.path("v").asInt());
			BulkAction action = JSON.readValue(stored.value(), BulkAction.class);
			// A worker replaces what it has read, so it must be able to write the same.
			return (action.id.equals(stored.name()) && action.text().equals(stored.value())) ? action : null;
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Return all that are stored, the first started first.
	 */
	static Stream<BulkAction> all(JobInspector inspector) {
		return inspector.operatorSettings()
			.stream()
			.filter((setting) -> setting.kind().equals(KIND))
			.map(BulkAction::read)
			.filter(Objects::nonNull)
			.sorted(Comparator.comparing(BulkAction::startedAt).thenComparing(BulkAction::id));
	}

	String text() {
		return JSON.writeValueAsString(this);
	}

	BulkWork work() {
		return new BulkWork(this.action, filter(), this.dueAt, this.toLane, this.startedAt);
	}

	@Override
	public JobFilter filter() {
		return this.jobs.filter();
	}

	@Override
	public JobCount total() {
		return (this.estimate != null) ? JobCount.atLeast(this.counted, this.estimate) : JobCount.exactly(this.counted);
	}

	/**
	 * Return this action stopped, or under way again, with no worker.
	 */
	BulkAction in(State state, @Nullable String error, Instant now) {
		return changed(state, null, this.cursor, this.pass, this.again, this.done, this.skipped, this.failed, error,
				now);
	}

	/**
	 * Return this action carried out by a worker.
	 */
	BulkAction at(String worker, Instant now) {
		return changed(this.state, worker, this.cursor, this.pass, this.again, this.done, this.skipped, this.failed,
				this.error, now);
	}

	/**
	 * Return this action after a step. Jobs that could not be changed are counted when
	 * the list is read for the first time.
	 * @param refused why the store refused to change jobs
	 * @param next where to go on, or {@code null} if the list is at its end
	 * @param isRepeated whether the list is read again if something was changed
	 */
	BulkAction after(BulkWork.Counts counts, List<String> refused, @Nullable String next, boolean isRepeated,
			Instant now) {
		boolean first = this.pass == 0;
		boolean again = this.again || counts.done() > 0;
		boolean ends = next == null && !(again && isRepeated);
		return changed(ends ? State.DONE : this.state, ends ? null : this.worker, next,
				(next != null) ? this.pass : this.pass + 1, next != null && again, this.done + counts.done(),
				this.skipped + (first ? counts.skipped() : 0), this.failed + (first ? refused.size() : 0),
				refused.isEmpty() ? this.error : refused.get(0), now);
	}

	private BulkAction changed(State state, @Nullable String worker, @Nullable String cursor, int pass, boolean again,
			long done, long skipped, long failed, @Nullable String error, Instant now) {
		return new BulkAction(this.v, this.number + 1, this.id, this.action, this.jobs, this.dueAt, this.toLane,
				this.by, this.startedAt, now, state, worker, cursor, pass, again, this.counted, this.estimate, done,
				skipped, failed, error);
	}

	/**
	 * Return whether this is another action stopped, with nothing between.
	 */
	boolean isStopOf(BulkAction before) {
		return this.id.equals(before.id) && this.state == State.STOPPED && this.number == before.number + 1;
	}

	/**
	 * Return the change that stores this instead of what it was.
	 * @param announced whether workers are to look at it at once
	 */
	Change instead(BulkAction before, boolean announced) {
		return new Change.Swap(KIND, this.id, before.text(), text(), announced);
	}

	@Override
	public String toString() {
		return "Bulk action " + this.id + " (" + this.action.name().toLowerCase(Locale.ROOT) + ")";
	}

	/**
	 * A filter of jobs as it is stored.
	 */
	record Selected(List<JobState> states, @Nullable String name, @Nullable Boolean retrying, @Nullable String text,
			@Nullable Instant since, @Nullable Instant before, @Nullable String uniqueKey, @Nullable String tag,
			@Nullable String lane, @Nullable Urgency urgency) {

		static Selected by(JobFilter filter) {
			return new Selected(filter.getStates().stream().sorted().toList(), filter.getName(), filter.getRetrying(),
					filter.getText(), filter.getSince(), filter.getBefore(), filter.getUniqueKey(), filter.getTag(),
					filter.getLane(), filter.getUrgency());
		}

		JobFilter filter() {
			return JobFilter.of((only) -> {
				only.states(Set.copyOf(this.states));
				ifGiven(this.name, only::name);
				ifGiven(this.retrying, only::retrying);
				ifGiven(this.text, only::text);
				ifGiven(this.since, only::since);
				ifGiven(this.before, only::before);
				ifGiven(this.uniqueKey, only::uniqueKey);
				ifGiven(this.tag, only::tag);
				ifGiven(this.lane, only::lane);
				ifGiven(this.urgency, only::urgency);
			});
		}

		private static <T> void ifGiven(@Nullable T value, Consumer<T> part) {
			if (value != null) {
				part.accept(value);
			}
		}

	}

}
