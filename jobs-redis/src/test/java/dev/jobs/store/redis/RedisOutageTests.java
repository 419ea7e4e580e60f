package dev.jobs.store.redis;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.Rate;
import dev.jobs.Trail;
import dev.jobs.build.Ports;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.End;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.StoreFault;
import dev.jobs.test.ExpectsFaults;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisJobStore} on a server of its own that is stopped, or full.
 */
class RedisOutageTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final int port = Ports.reserve();

	private final LettuceConnectionFactory factory = TestRedis.connect(URI.create("redis://127.0.0.1:" + this.port));

	private final RedisJobStore store = new RedisJobStore(this.factory, "outage");

	private final List<RedisServer> servers = new ArrayList<>();

	@TempDir
	private Path directory;

	@AfterEach
	void stopServers() {
		this.store.close();
		TestRedis.destroy(this.factory);
		this.servers.forEach(TestRedis::stop);
	}

	private RedisServer startServer() {
		RedisServer server = TestRedis.start(this.port,
				List.of("save \"\"", "appendonly yes", "appendfsync always", "dir " + this.directory));
		this.servers.add(server);
		return server;
	}

	private void enqueue(String id) {
		this.store.enqueue(List.of(NewJob.of(id, "q", new byte[3], NOW)), NOW);
	}

	private List<Claim> claim(int count) {
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW));
		return this.store.claim(new ClaimRequest("w", List.of(Quota.of("q", count)), count, NOW)).claims();
	}

	@Test
	void withoutServerCallsFailForNowAndListeningDoesNot() {
		try (JobStore.Subscription subscription = this.store.listen(new StoreListener() {
		})) {
			assertThat(subscription).isNotNull();
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> enqueue("a"))
				.matches(JobStoreException::isTemporary);
			startServer();
			Awaitility.await().ignoreExceptionsInstanceOf(JobStoreException.class).until(() -> {
				enqueue("a");
				return true;
			});
		}
	}

	@Test
	void restartOfTheServerLosesNoAcknowledgedJob() {
		RedisServer server = startServer();
		enqueue("a");
		enqueue("b");
		List<Claim> claims = claim(1);
		TestRedis.stop(server);
		startServer();
		Awaitility.await().ignoreExceptionsInstanceOf(JobStoreException.class).until(() -> {
			enqueue("c");
			return true;
		});
		assertThat(this.store.settle(List.of(Transition.removed(claims.get(0), NOW)), NOW))
			.containsExactly(Settled.APPLIED);
		assertThat(claim(5)).extracting((claim) -> claim.job().id()).containsExactly("b", "c");
	}

	@Test
	@ExpectsFaults("maxmemory")
	void fullServerRefusesNewJobsAndDrains() {
		startServer();
		for (String id : List.of("a", "b", "c", "d")) {
			enqueue(id);
		}
		limitMemory("1");
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> enqueue("e"))
			.matches(JobStoreException::isTemporary)
			.matches(JobStoreException::isRefused);
		assertThat(this.store.inspector().job("e", NOW)).isEmpty();
		assertThat(this.store.inspector().faults()).hasSize(1).allMatch(StoreFault::stopsWork);
		assertThat(this.store.inspector().faults().get(0).text()).contains("maxmemory");
		List<Claim> claims = claim(2);
		End end = new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[3], NOW.plusSeconds(1));
		assertThat(this.store.settle(List.of(Transition.removed(claims.get(0), NOW).keeping(end)), NOW))
			.containsExactly(Settled.APPLIED);
		assertThat(this.store.inspector().ends(List.of("a"), NOW)).containsKey("a");
		assertThat(this.store.change(List.of(new Change.Delete("d")), NOW)).containsExactly(Changed.DONE);
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), true, NOW));
		this.store.beat(new WorkerBeat("v", Duration.ofSeconds(15), null, List.of(), false, NOW));
		assertThat(this.store.takeOver(new TakeOver("v", Set.of("q"), Map.of(), 5, NOW)).claims()).hasSize(1);
		assertThat(claim(5)).extracting((claim) -> claim.job().id()).containsExactly("c");
		limitMemory("0");
		assertThat(this.store.inspector().faults()).isEmpty();
		enqueue("e");
		assertThat(claim(5)).extracting((claim) -> claim.job().id()).containsExactly("e");
	}

	@Test
	@ExpectsFaults("maxmemory")
	void fullServerDrainsLanesWhateverHoldsThem() {
		startServer();
		for (String id : List.of("a", "b", "c", "d")) {
			this.store.enqueue(
					List.of(NewJob.of(id, "q", new byte[3], NOW).withHeaders(Map.of(Job.LANE_HEADER, "lane"))), NOW);
		}
		Instant later = NOW.plusSeconds(1);
		limitMemory("1");
		Claim claim = claimOfLane(NOW).get(0);
		this.store.settle(List.of(Transition.scheduled(claim, later, Trail.EMPTY).keepingLane()), NOW);
		assertThat(claimOfLane(NOW)).isEmpty();
		claim = claimOfLane(later).get(0);
		assertThat(claim.job().id()).isEqualTo("a");
		Instant held = later.plusSeconds(1);
		this.store.settle(List.of(Transition.heldBack(claim, held, Trail.EMPTY).keepingLane()), later);
		assertThat(claimOfLane(later)).isEmpty();
		for (String id : List.of("a", "b", "c", "d")) {
			List<Claim> claims = claimOfLane(held);
			assertThat(claims).extracting((each) -> each.job().id()).containsExactly(id);
			assertThat(this.store.settle(List.of(Transition.removed(claims.get(0), held)), held))
				.containsExactly(Settled.APPLIED);
			held = held.plusSeconds(1);
		}
	}

	/**
	 * Claim jobs of lanes that start one job at once and one a second.
	 */
	private List<Claim> claimOfLane(Instant now) {
		Rates rates = new Rates(null, Rate.of(1, Duration.ofSeconds(1)), Duration.ZERO);
		Quota quota = Quota.of("q", 5).withLanes(1, "").withRates(rates);
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, now));
		return this.store.claim(new ClaimRequest("w", List.of(quota), 5, now)).claims();
	}

	private void limitMemory(String bytes) {
		try (StatefulRedisConnection<String, String> connection = ((RedisClient) this.factory.getRequiredNativeClient())
			.connect()) {
			connection.sync().configSet("maxmemory", bytes);
		}
	}

}
