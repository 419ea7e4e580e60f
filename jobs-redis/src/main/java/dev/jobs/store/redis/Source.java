package dev.jobs.store.redis;

import java.util.List;
import java.util.stream.Stream;

/**
 * A structure of a queue, or the part of it that is wanted, with the jobs of a page in
 * their order.
 *
 * @param partition the partition of the queue
 * @param queue the queue
 * @param part the name of the structure
 * @param low how many entries are before those wanted
 * @param size how many entries are wanted
 * @param skipped which of them are to be skipped
 * @param listed those wanted, or empty if they have to be asked for
 */
record Source(int partition, String queue, String part, long low, long size, Skipped skipped, List<Listed> listed) {

	/**
	 * Return whether the server can't tell by the scores where a job is.
	 */
	boolean isSearched() {
		return this.part.equals("ready") || this.part.equals("running");
	}

	/**
	 * Return how many of the first entries are jobs.
	 */
	long jobsBefore(long position) {
		if (this.skipped.count() == 0 || position == this.size) {
			return position - ((position == this.size) ? this.skipped.count() : 0);
		}
		return position - this.skipped.before(position);
	}

	/**
	 * Return how many entries there are up to a number of jobs.
	 */
	long entriesUntil(long jobs) {
		return (this.skipped.count() == 0) ? jobs : this.skipped.until(jobs);
	}

	/**
	 * A part of a structure.
	 *
	 * @param source the structure
	 * @param from where it begins
	 * @param to where it ends
	 */
	record Stretch(Source source, long from, long to) {

		long length() {
			return this.to - this.from;
		}

		static long sum(List<Stretch> stretches) {
			return stretches.stream().mapToLong(Stretch::length).sum();
		}

		/**
		 * Return which of its entries are to be skipped.
		 */
		List<Long> skipped() {
			return this.source.skipped().between(this.from, this.to);
		}

		/**
		 * Return what is left without the entries that are to be skipped.
		 */
		Stream<Stretch> kept() {
			Stream.Builder<Stretch> kept = Stream.builder();
			long start = this.from;
			for (long skipped : skipped()) {
				kept.add(new Stretch(this.source, start, skipped));
				start = skipped + 1;
			}
			return kept.add(new Stretch(this.source, start, this.to)).build().filter((part) -> part.length() > 0);
		}

		Arguments addTo(Arguments arguments) {
			return arguments.add(this.source.queue())
				.add(this.source.part())
				.add(this.source.low())
				.add(this.source.size())
				.add(this.from)
				.add(this.to);
		}

	}

	/**
	 * An entry that is known.
	 *
	 * @param id the id of the job
	 * @param score its score
	 * @param key by what it has its place
	 */
	record Listed(String id, String score, Pivot key) {

		static Listed read(Reply reply) {
			return new Listed(reply.text(), reply.text(), new Pivot(reply.number(), reply.text()));
		}

	}

	/**
	 * Where a job is.
	 *
	 * @param source the structure
	 * @param id its id
	 * @param score its score there
	 */
	record Entry(Source source, String id, String score) {

	}

}
