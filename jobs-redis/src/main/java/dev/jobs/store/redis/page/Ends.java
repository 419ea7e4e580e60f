package dev.jobs.store.redis.page;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.store.End;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.page.BatchReader.Sent;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.redis.wire.Script;
import dev.jobs.store.support.ReadDeadline;
import dev.jobs.store.view.EndView;

/**
 * Finds out how jobs have ended, or where they are.
 */
final class Ends {

	private final Link link;

	private final BatchReader reader;

	private final Instant now;

	private final Map<String, EndView> found = new HashMap<>();

	Ends(Link link, ReadDeadline deadline, Instant now) {
		this.link = link;
		this.reader = new BatchReader(Long.MAX_VALUE, deadline);
		this.now = now;
	}

	/**
	 * Look for jobs in the partitions that their ids point to, and for those that are not
	 * found there in all.
	 */
	Map<String, EndView> find(Collection<String> jobs, Partitions partitions) {
		find(List.copyOf(jobs), (id) -> List.of(partitions.likelyOf(id)));
		if (partitions.count() > 1) {
			find(jobs.stream().filter((id) -> !this.found.containsKey(id)).toList(), (id) -> partitions.all());
		}
		return this.found;
	}

	private void find(List<String> jobs, Function<String, List<Partition>> where) {
		this.reader.read(jobs, (ids) -> {
			Map<Partition, List<String>> parts = new HashMap<>();
			ids.forEach((id) -> where.apply(id)
				.forEach((partition) -> parts.computeIfAbsent(partition, (key) -> new ArrayList<>()).add(id)));
			return parts.entrySet().stream().map((part) -> send(part.getKey(), part.getValue())).toList();
		}, this::read);
	}

	private Sent<String> send(Partition partition, List<String> ids) {
		Arguments arguments = Arguments.at(this.now).add(Formats.NOTHING).add("ends");
		ids.forEach(arguments::add);
		return new Sent<>(ids, this.link.send(Script.JOB, partition, arguments));
	}

	/**
	 * Read the ends, and the rows of jobs that are stored, whose state decides.
	 */
	private void read(Reply reply) {
		Map<String, End> ends = new HashMap<>();
		Reply kept = reply.list();
		while (kept.hasMore()) {
			String id = kept.text();
			End end = Formats.kept(kept.bytes());
			if (end != null && end.until().isAfter(this.now)) {
				ends.put(id, end);
				this.found.putIfAbsent(id, new EndView(end.state(), end.trail(), end.value()));
			}
		}
		while (reply.hasMore()) {
			Job job = Rows.read(reply, this.now).job();
			End end = (job.state() == JobState.SUCCEEDED) ? ends.get(job.id()) : null;
			this.found.put(job.id(), new EndView(job.state(), job.trail(), (end != null) ? end.value() : null));
		}
	}

}
