package dev.jobs.engine.bulk;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A bulk action as it is stored: a setting of operators that workers replace step by
 * step, each time only if nobody else has.
 *
 * @param id the unique id
 * @param work what is done to which jobs
 * @param at how far it is
 * @param by who started it, or {@code null} if that is not known
 * @param changedAt when it was stored
 * @param text its stored form
 */
record BulkAction(String id, BulkWork work, Place at, @Nullable String by, Instant changedAt,
		String text) implements BulkStatus {

	static final String KIND = "bulk";

	private static final StoredVersion VERSION = new StoredVersion("a bulk action", 1);

	private static final JsonMapper JSON = JsonMapper.shared();

	static BulkAction begin(String id, BulkWork work, JobCount total, @Nullable String by) {
		Place place = new Place(0, State.RUNNING, null, null, 0, false, total, 0, 0, 0, null);
		return new BulkAction(id, work, place, by, work.begin(), text(work, place));
	}

	/**
	 * Read a stored bulk action.
	 * @return the action, or {@code null} if this version of Jobs cannot read it
	 */
	private static @Nullable BulkAction read(OperatorSetting stored) {
		try {
			JsonNode json = JSON.readTree(stored.value());
			VERSION.require(json.path("v").asInt());
			BulkWork work = new BulkWork(Action.valueOf(json.path("action").asString()), filter(json.path("filter")),
					instant(json, "dueAt"), text(json, "toLane"), Objects.requireNonNull(instant(json, "begin")));
			long total = json.path("total").asLong();
			Place place = new Place(json.path("n").asLong(), State.valueOf(json.path("state").asString()),
					text(json, "worker"), text(json, "cursor"), json.path("pass").asInt(),
					json.path("again").asBoolean(),
					json.has("estimate") ? JobCount.atLeast(total, json.path("estimate").asLong())
							: JobCount.exactly(total),
					json.path("done").asLong(), json.path("skipped").asLong(), json.path("failed").asLong(),
					text(json, "error"));
			return new BulkAction(stored.name(), work, place, stored.by(), stored.at(), stored.value());
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

	private static String text(BulkWork work, Place place) {
		ObjectNode json = JSON.createObjectNode().put("v", VERSION.number()).put("n", place.number);
		json.put("action", work.action().name()).set("filter", json(work.filter()));
		put(json, "dueAt", work.dueAt());
		put(json, "toLane", work.toLane());
		put(json, "begin", work.begin());
		put(json, "state", place.state);
		put(json, "worker", place.worker);
		put(json, "cursor", place.cursor);
		json.put("pass", place.pass).put("again", place.again);
		json.put("total", place.total.number());
		if (!place.total.exact()) {
			json.put("estimate", place.total.estimate());
		}
		json.put("done", place.done).put("skipped", place.skipped).put("failed", place.failed);
		put(json, "error", place.error);
		return json.toString();
	}

	private static ObjectNode json(JobFilter filter) {
		ObjectNode json = JSON.createObjectNode();
		if (!filter.getStates().isEmpty()) {
			json.put("state",
					filter.getStates().stream().sorted().map(JobState::name).collect(Collectors.joining(",")));
		}
		put(json, "name", filter.getName());
		if (filter.getRetrying() != null) {
			json.put("retrying", filter.getRetrying().booleanValue());
		}
		put(json, "text", filter.getText());
		put(json, "since", filter.getSince());
		put(json, "before", filter.getBefore());
		put(json, "uniqueKey", filter.getUniqueKey());
		put(json, "tag", filter.getTag());
		put(json, "lane", filter.getLane());
		put(json, "urgency", filter.getUrgency());
		return json;
	}

	private static JobFilter filter(JsonNode json) {
		return JobFilter.of((jobs) -> {
			ifThere(json, "state", (states) -> jobs
				.states(Set.of(states.split(",")).stream().map(JobState::valueOf).collect(Collectors.toSet())));
			ifThere(json, "name", jobs::name);
			if (json.has("retrying")) {
				jobs.retrying(json.path("retrying").asBoolean());
			}
			ifThere(json, "text", jobs::text);
			ifThere(json, "since", (since) -> jobs.since(Instant.parse(since)));
			ifThere(json, "before", (before) -> jobs.before(Instant.parse(before)));
			ifThere(json, "uniqueKey", jobs::uniqueKey);
			ifThere(json, "tag", jobs::tag);
			ifThere(json, "lane", jobs::lane);
			ifThere(json, "urgency", (urgency) -> jobs.urgency(Urgency.valueOf(urgency)));
		});
	}

	private static void put(ObjectNode json, String name, @Nullable Object value) {
		if (value != null) {
			json.put(name, value.toString());
		}
	}

	private static void ifThere(JsonNode json, String name, Consumer<String> part) {
		if (json.has(name)) {
			part.accept(json.path(name).asString());
		}
	}

	private static @Nullable String text(JsonNode json, String name) {
		return json.has(name) ? json.path(name).asString() : null;
	}

	private static @Nullable Instant instant(JsonNode json, String name) {
		return json.has(name) ? Instant.parse(json.path(name).asString()) : null;
	}

	/**
	 * Return this action at another place.
	 */
	BulkAction moved(Place place, Instant now) {
		return new BulkAction(this.id, this.work, place, this.by, now, text(this.work, place));
	}

	/**
	 * Return whether this is another action stopped, with nothing between.
	 */
	boolean isStopOf(BulkAction before) {
		return this.id.equals(before.id) && state() == State.STOPPED && this.at.number == before.at.number + 1;
	}

	/**
	 * Return the change that stores this instead of what it was.
	 * @param announced whether workers are to look at it at once
	 */
	Change instead(BulkAction before, boolean announced) {
		return new Change.Swap(KIND, this.id, before.text, this.text, announced);
	}

	@Override
	public Action action() {
		return this.work.action();
	}

	@Override
	public JobFilter filter() {
		return this.work.filter();
	}

	@Override
	public @Nullable Instant dueAt() {
		return this.work.dueAt();
	}

	@Override
	public @Nullable String toLane() {
		return this.work.toLane();
	}

	@Override
	public Instant startedAt() {
		return this.work.begin();
	}

	@Override
	public State state() {
		return this.at.state;
	}

	@Override
	public JobCount total() {
		return this.at.total;
	}

	@Override
	public long done() {
		return this.at.done;
	}

	@Override
	public long skipped() {
		return this.at.skipped;
	}

	@Override
	public long failed() {
		return this.at.failed;
	}

	@Override
	public @Nullable String error() {
		return this.at.error;
	}

	@Override
	public String toString() {
		return "Bulk action " + this.id + " (" + action().name().toLowerCase(Locale.ROOT) + ")";
	}

	/**
	 * How far a bulk action is.
	 *
	 * @param number grows with each change, so no two stored forms are equal
	 * @param state whether it is under way
	 * @param worker the worker that carries it out, or {@code null}
	 * @param cursor where to go on, or {@code null} for the beginning of the list
	 * @param pass how often the list was read to its end
	 * @param again whether jobs were changed since the list was begun
	 * @param total how many jobs it selected when it was started
	 * @param done how many jobs were changed
	 * @param skipped how many could not be changed
	 * @param failed how many the store refused to change
	 * @param error the latest fault, or {@code null}
	 */
	record Place(long number, State state, @Nullable String worker, @Nullable String cursor, int pass, boolean again,
			JobCount total, long done, long skipped, long failed, @Nullable String error) {

		Place in(State state, @Nullable String error) {
			return new Place(this.number + 1, state, null, this.cursor, this.pass, this.again, this.total, this.done,
					this.skipped, this.failed, error);
		}

		Place at(String worker) {
			return new Place(this.number + 1, this.state, worker, this.cursor, this.pass, this.again, this.total,
					this.done, this.skipped, this.failed, this.error);
		}

		/**
		 * Return the place after a step. What could not be changed is counted when the
		 * list is read for the first time.
		 * @param refused why the store refused to change jobs
		 * @param next where to go on, or {@code null} if the list is at its end
		 * @param isRepeated whether the list is read again if something was changed
		 */
		Place after(BulkWork.Counts counts, List<String> refused, @Nullable String next, boolean isRepeated) {
			boolean first = this.pass == 0;
			boolean again = this.again || counts.done() > 0;
			boolean ends = next == null && !(again && isRepeated);
			return new Place(this.number + 1, ends ? State.DONE : this.state, ends ? null : this.worker, next,
					(next != null) ? this.pass : this.pass + 1, next != null && again, this.total,
					this.done + counts.done(), this.skipped + (first ? counts.skipped() : 0),
					this.failed + (first ? refused.size() : 0), refused.isEmpty() ? this.error : refused.get(0));
		}

	}

}
