package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.Unique;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.AllJobs;
import dev.jobs.store.support.UniqueKeyDigest;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.QueueView;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for the use of a cluster by {@link RedisJobStore}.
 */
class RedisClusterTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final List<String> QUEUES = IntStream.range(0, 64).mapToObj((i) -> "queue-" + i).toList();

	private static final Pattern CALLS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

	private final LettuceConnectionFactory factory = TestRedisCluster.shared()
		.connect(LettuceClientConfiguration.defaultConfiguration());

	private final String namespace = TestRedis.newNamespace();

	private final RedisJobStore store = new RedisJobStore(this.factory, this.namespace);

	@AfterEach
	void closeStore() {
		this.store.close();
		TestRedis.destroy(this.factory);
	}

	private static NewJob job(String id, String queue, NewJob.@Nullable UniqueKey key) {
		return NewJob.of(id, queue, new byte[] { 1 }, NOW).withUniqueKey(key);
	}

	private List<NewJob> jobs() {
		return QUEUES.stream().map((queue) -> job("in-" + queue, queue, null)).toList();
	}

	private List<Claim> claim(int limit, List<String> queues) {
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW));
		List<Quota> quotas = queues.stream().map((queue) -> Quota.of(queue, limit).withShare(1)).toList();
		return this.store.claim(new ClaimRequest("w", quotas, limit, NOW)).claims();
	}

	@Test
	void queuesAreSpreadOverTheMastersAndEachIsInOnePartition() {
		this.store.enqueue(jobs(), NOW);
		claim(20, QUEUES);
		Map<Integer, List<String>> keys = TestRedisCluster.shared().keys("*" + this.namespace + "*");
		Pattern documented = Pattern.compile("\\{" + Pattern.quote(this.namespace) + ":(\\d)[.\\d]*\\}:(.*)");
		Map<String, Set<String>> partitions = new HashMap<>();
		keys.values().stream().flatMap(List::stream).forEach((key) -> {
			Matcher matcher = documented.matcher(key);
			assertThat(matcher.matches()).as(key).isTrue();
			if (matcher.group(2).startsWith("q:")) {
				partitions.computeIfAbsent(matcher.group(2).split(":")[1], (queue) -> new HashSet<>())
					.add(matcher.group(1));
			}
		});
		assertThat(partitions.keySet()).containsExactlyInAnyOrderElementsOf(QUEUES);
		assertThat(partitions.values()).allSatisfy((each) -> assertThat(each).hasSize(1));
		assertThat(partitions.values().stream().flatMap(Set::stream).distinct()).hasSize(6);
		assertThat(keys.values()).hasSize(3)
			.allSatisfy((ofNode) -> assertThat(ofNode).anyMatch((key) -> key.contains(":q:")));
	}

	@Test
	void keysAndTagsAreFoundInAllPartitions() {
		List<NewJob> jobs = QUEUES.stream()
			.map((queue) -> NewJob.of("in-" + queue, queue, new byte[] { 1 }, NOW)
				.withHeaders(Map.of(Job.TAGS_HEADER, "t"))
				.withUniqueKey(new NewJob.UniqueKey(UniqueKeyDigest.of(Unique.Scope.HANDLER, queue, "k"),
						Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null, Unique.OnDuplicate.KEEP)))
			.toList();
		this.store.enqueue(jobs, NOW);
		this.store
			.enqueue(
					List.of(job("across", "queue-7",
							new NewJob.UniqueKey(UniqueKeyDigest.of(Unique.Scope.NAMESPACE, "", "k"),
									Unique.Mode.UNTIL_DONE, Unique.Scope.NAMESPACE, null, Unique.OnDuplicate.KEEP))),
					NOW);
		List<String> ids = jobs.stream().map(NewJob::id).sorted().toList();
		assertThat(ids(JobFilter.of((only) -> only.tag("t")), PageRequest.oldestFirst(100))).isEqualTo(ids);
		assertThat(all(JobFilter.of((only) -> only.tag("t")), PageRequest.oldestFirst(7))).isEqualTo(ids);
		assertThat(ids(JobFilter.of((only) -> only.tag("t").name("queue-9")), PageRequest.oldestFirst(100)))
			.containsExactly("in-queue-9");
		assertThat(ids(JobFilter.of((only) -> only.uniqueKey("k")), PageRequest.oldestFirst(100)))
			.hasSize(ids.size() + 1)
			.containsAll(ids)
			.contains("across");
		assertThat(ids(JobFilter.of((only) -> only.uniqueKey("k").name("queue-7")), PageRequest.oldestFirst(100)))
			.containsExactly("across", "in-queue-7");
	}

	@Test
	void pagesAndSearchesContinueToTheEndOfAllPartitions() {
		int count = JobInspector.LOOKED_THROUGH + 2000;
		List<NewJob> jobs = IntStream.range(0, count)
			.mapToObj((i) -> NewJob
				.of("job-%05d".formatted(i), QUEUES.get(i * 7 % QUEUES.size()),
						((i % 3000 == 2999) ? "a needle" : "hay").getBytes(StandardCharsets.UTF_8), NOW)
				.withDueAt(NOW.plusMillis(1 + i / 5)))
			.toList();
		for (int from = 0; from < count; from += 1000) {
			this.store.enqueue(jobs.subList(from, from + 1000), NOW);
		}
		List<String> ids = jobs.stream().map(NewJob::id).toList();
		assertThat(all(JobFilter.all(), PageRequest.oldestFirst(1000))).isEqualTo(ids);
		assertThat(all(JobFilter.all(), PageRequest.newestFirst(999))).containsExactlyElementsOf(reversed(ids));
		JobFilter filter = JobFilter.of((only) -> only.text("needle"));
		PageRequest request = PageRequest.newestFirst(10);
		JobPage page = this.store.inspector().page(filter, request, NOW);
		assertThat(page.jobs()).extracting(Job::id).containsExactly("job-05999", "job-02999");
		page = this.store.inspector().page(filter, request.after(page.next()), NOW);
		assertThat(page).isEqualTo(JobPage.of(List.of(), null));
		this.store.change(List.of(new Change.Purge()), NOW);
	}

	private List<String> ids(JobFilter filter, PageRequest request) {
		return this.store.inspector().page(filter, request, NOW).jobs().stream().map(Job::id).toList();
	}

	private List<String> all(JobFilter filter, PageRequest request) {
		return AllJobs.of(this.store.inspector(), filter, request, NOW).stream().map(Job::id).toList();
	}

	private static List<String> reversed(List<String> ids) {
		List<String> reversed = new ArrayList<>(ids);
		Collections.reverse(reversed);
		return reversed;
	}

	@Test
	void oneCallServesQueuesOfAllPartitions() {
		List<NewJob> jobs = jobs();
		assertThat(this.store.enqueue(jobs, NOW)).extracting((enqueued) -> enqueued.id())
			.containsExactlyElementsOf(jobs.stream().map(NewJob::id).toList());
		List<Claim> claims = claim(QUEUES.size(), QUEUES);
		assertThat(claims).extracting((claim) -> claim.job().name()).containsExactlyInAnyOrderElementsOf(QUEUES);
		List<Transition> ends = new ArrayList<>(
				claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList());
		Transition first = ends.get(0);
		ends.set(0, first.withToken(first.token() + 1_000_000));
		List<Settled> settled = this.store.settle(ends, NOW);
		assertThat(settled.get(0)).isEqualTo(Settled.LOST);
		assertThat(settled.subList(1, settled.size())).containsOnly(Settled.APPLIED);
		assertThat(this.store.inspector().queues(NOW)).extracting(QueueView::name)
			.isSorted()
			.containsExactlyInAnyOrderElementsOf(QUEUES);
	}

	@Test
	void claimHonoursItsLimitAcrossPartitions() {
		this.store.enqueue(jobs(), NOW);
		assertThat(claim(10, QUEUES)).hasSize(10);
		assertThat(claim(100, QUEUES)).hasSize(QUEUES.size() - 10);
	}

	@Test
	void noTwoClaimsHaveTheSameToken() {
		this.store.enqueue(jobs(), NOW);
		Set<Long> tokens = new HashSet<>();
		for (String queue : QUEUES) {
			tokens.add(claim(1, List.of(queue)).get(0).token());
		}
		assertThat(tokens).hasSize(QUEUES.size());
		assertThat(
				this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW)).openTokens())
			.containsExactlyInAnyOrderElementsOf(tokens);
	}

	@Test
	void keyOfTheNamespaceIsUniqueAcrossPartitions() {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.NAMESPACE, null,
				Unique.OnDuplicate.KEEP);
		assertThat(QUEUES.stream()
			.filter((queue) -> this.store.enqueue(List.of(job("in-" + queue, queue, key)), NOW).get(0).isNew()))
			.hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "garbage", "3", "b3", "a", "a7;", "a999", "a-1", "a3;x;y", "a99999999999999" })
	void noteThatCannotBeReadLeadsNowhere(String note) {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.NAMESPACE, null,
				Unique.OnDuplicate.KEEP);
		this.store.enqueue(List.of(job("a", "queue-1", key)), NOW);
		this.store.change(List.of(new Change.Delete("a")), NOW);
		TestRedisCluster cluster = TestRedisCluster.shared();
		cluster.keys("{" + this.namespace + "*:owners")
			.forEach((port, keys) -> keys.forEach((owners) -> cluster.node(port).hset(owners, "digest", note)));
		assertThat(this.store.enqueue(List.of(job("b", "queue-2", key)), NOW).get(0).isNew()).isTrue();
		assertThat(this.store.enqueue(List.of(job("c", "queue-3", key)), NOW).get(0).isNew()).isFalse();
	}

	@Test
	void noteOfAKeyThatNobodyOwnsIsForgotten() {
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.NAMESPACE, null,
				Unique.OnDuplicate.KEEP);
		this.store.enqueue(List.of(job("a", "queue-1", key)), NOW);
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, NOW));
		assertThat(this.store.enqueue(List.of(job("b", "queue-2", key)), NOW).get(0).isNew()).isFalse();
		assertThat(TestRedisCluster.shared().keys("{" + this.namespace + "*:owners").values())
			.anyMatch((keys) -> !keys.isEmpty());
		Claim claim = claim(1, List.of("queue-1")).get(0);
		this.store.settle(List.of(Transition.removed(claim, NOW)), NOW);
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, NOW.plusSeconds(30)));
		assertThat(TestRedisCluster.shared().keys("{" + this.namespace + "*:owners").values()).allMatch(List::isEmpty);
		assertThat(this.store.repairs()).isEmpty();
		assertThat(this.store.enqueue(List.of(job("c", "queue-2", key)), NOW).get(0).isNew()).isTrue();
	}

	@Test
	void tickThatMovedToAnotherQueueIsStillClaimedOnce() {
		Stream<String> claimed = QUEUES.stream()
			.filter((queue) -> this.store
				.fireTicks(List.of(Tick.of(new NewSchedule("schedule", "definition", queue), NOW,
						job("in-" + queue, queue, null))), NOW)
				.get(0)
				.enqueued() != null);
		assertThat(claimed).hasSize(1);
	}

	@Test
	void refusedTickDoesNotHideThatThoseOfOtherPartitionsAreClaimed() {
		Instant tick = NOW.plusSeconds(1);
		List<Tick> ticks = QUEUES.stream()
			.map((queue) -> Tick.of(new NewSchedule("schedule-" + queue, "definition", queue), tick,
					job("in-" + queue, queue, null)))
			.toList();
		this.store.fireTicks(ticks.stream().map((each) -> Tick.of(each.schedule(), NOW, null)).toList(), NOW);
		this.store.enqueue(List.of(job("a", "queue-0", null)), NOW);
		TestRedisCluster cluster = TestRedisCluster.shared();
		cluster.keys("{" + this.namespace + ":*}:q:queue-0:ready").forEach((port, keys) -> keys.forEach((ready) -> {
			cluster.node(port).del(ready);
			cluster.node(port).set(ready, "of another program");
		}));
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.store.fireTicks(ticks, tick))
			.withMessageContaining("queue-0:ready")
			.matches((ex) -> !ex.isTemporary())
			.matches((ex) -> !ex.isRefused());
		assertThat(this.store.inspector().job("in-queue-0", tick)).isEmpty();
		Tick claimed = ticks.stream()
			.filter((each) -> this.store.inspector().job("in-" + each.schedule().queue(), tick).isPresent())
			.findFirst()
			.orElseThrow();
		assertThat(this.store.fireTicks(List.of(claimed), tick).get(0))
			.matches((reply) -> reply.repeated() && reply.enqueued() != null);
	}

	/**
	 * How many scripts clients have sent to each master.
	 */
	private static Map<Integer, Long> calls() {
		TestRedisCluster cluster = TestRedisCluster.shared();
		Map<Integer, Long> calls = new HashMap<>();
		for (int port : cluster.masters()) {
			Matcher matcher = CALLS.matcher(cluster.node(port).info("commandstats"));
			calls.put(port, matcher.find() ? Long.parseLong(matcher.group(1)) : 0);
		}
		return calls;
	}

	/**
	 * All intervals are a tenth of the usual ones, save that of pruning.
	 */
	@Test
	void idlePoolSendsEachMasterLessThanTwoCommandsASecond() {
		JobEngineBuilder builder = new JobEngineBuilder(this.store).concurrency(100)
			.settings(EngineSettings.defaults()
				.withLease(Duration.ofMillis(1500), Duration.ofMillis(400))
				.withPoll(Duration.ofMillis(500)));
		QUEUES.forEach((queue) -> builder
			.handler(HandlerDefinition.of(queue, Object.class, (payload, context) -> JobResult.done())));
		JobEngine engine = builder.build();
		engine.start();
		try {
			Awaitility.await().until(() -> !this.store.inspector().workers(Instant.now()).isEmpty());
			Map<Integer, Long> before = calls();
			long from = System.nanoTime();
			Awaitility.await().until(() -> System.nanoTime() - from > Duration.ofSeconds(4).toNanos());
			Map<Integer, Long> after = calls();
			double seconds = (System.nanoTime() - from) / 1e9;
			assertThat(after).allSatisfy(
					(port, calls) -> assertThat((calls - before.get(port)) / seconds).isPositive().isLessThan(20));
		}
		finally {
			engine.stopNow();
		}
	}

	@Test
	void bracesInTheNameOfAQueueHarmNothing() {
		List<String> names = List.of("a{b}c", "{x}", "}{", "{}", "{", "{a:0}", "a:b", "{" + this.namespace + ":1}");
		this.store.enqueue(names.stream().map((name) -> job("in-" + name, name, null)).toList(), NOW);
		List<Claim> claims = claim(names.size(), names);
		assertThat(claims).extracting((claim) -> claim.job().name()).containsExactlyInAnyOrderElementsOf(names);
		assertThat(this.store
			.settle(claims.stream().map((claim) -> Transition.kept(claim, NOW, claim.job().trail())).toList(), NOW))
			.containsOnly(Settled.APPLIED);
		assertThat(names).allMatch((name) -> this.store.inspector().job("in-" + name, NOW).isPresent());
	}

	@ParameterizedTest
	@ValueSource(strings = { "{a}", "a{", "}", "a\n{b}", "" })
	void namespaceWithBracesIsRefused(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> new RedisJobStore(this.factory, name));
	}

}
