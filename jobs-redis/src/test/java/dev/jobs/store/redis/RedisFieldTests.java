package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.store.Claim;
import dev.jobs.store.Settled;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisJobStore} with any bytes in any field of any record and any
 * number in any set: neighbours run once, beats and rescues go on, lists answer.
 */
class RedisFieldTests {

	private static final long SEED = 20261123;

	private static final int TRIES = 4;

	private static final List<String> TEXTS = List.of("", "garbage", "inf", "-inf", "nan", "1e300", "-1", "0x10",
			"9007199254740993", "99999999999999999999", "null", "{}", "1:", "9999999999:x", "5:12", "0;99999999999",
			"DH-;x", "-;held", "\u0001", "\u001d\u0000", "a", "b", "b1:51:61:q0:1:0", "a1:51:61:q0:1:0");

	private static StatefulRedisConnection<byte[], byte[]> connection;

	private final Random random = new Random(SEED);

	private final Logger logger = (Logger) LoggerFactory.getLogger("dev.jobs.store.redis");

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	@BeforeEach
	void listenToTheLog() {
		this.logged.start();
		this.logger.addAppender(this.logged);
	}

	@AfterEach
	void leaveTheLog() {
		this.logger.detachAppender(this.logged);
	}

	@BeforeAll
	static void connect() {
		connection = ((RedisClient) TestRedis.factory().getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE);
	}

	@AfterAll
	static void disconnect() {
		connection.close();
	}

	private static RedisCommands<byte[], byte[]> server() {
		return connection.sync();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	static Stream<String> keys() {
		return RedisKeyTypeTests.keys().filter((key) -> !key.equals("partitions"));
	}

	@ParameterizedTest
	@MethodSource("keys")
	void anyBytesInAnyPlaceStopNothing(String key) {
		System.out.println("Seed of " + key + ": " + SEED);
		List<String> texts = new ArrayList<>(TEXTS);
		Collections.shuffle(texts, new Random(SEED + key.hashCode()));
		for (int i = 0; i < TRIES + TEXTS.size() / 2; i++) {
			try (UsedNamespace namespace = new UsedNamespace()) {
				byte[] text = (i < TRIES) ? null : bytes(texts.get(i));
				damage(bytes(namespace.key(key)), server().type(bytes(namespace.key(key))), text);
				goOn(namespace, "try " + i);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(doubles = { Double.POSITIVE_INFINITY, Double.MAX_VALUE, 1e18, 9007199254740994d, 2e12 })
	void jobOfADeadWorkerIsTakenOverThoughItsLeaseEndsNever(double score) {
		try (UsedNamespace namespace = new UsedNamespace()) {
			namespace.server().zadd(namespace.key("leases"), score, "gone");
			List<Claim> taken = namespace.takeOver("q");
			for (int i = 0; i < 2; i++) {
				assertThat(taken).isEmpty();
				namespace.pass(UsedNamespace.LEASE.dividedBy(2).plusMillis(1));
				namespace.beat("w");
				taken = namespace.takeOver("q");
			}
			assertThat(taken).extracting((claim) -> claim.job().id()).containsExactly("lost");
			assertThat(namespace.succeed(taken.get(0))).isEqualTo(Settled.APPLIED);
			assertThat(this.logged.list).extracting(ILoggingEvent::getFormattedMessage)
				.containsOnlyOnce(
						"The lease of the worker 'gone' ended later than it can and was cut, since the clock was set back "
								+ "or another program wrote it; unless the worker beats, its jobs are soon taken over");
		}
	}

	/**
	 * Change all values in a key to a text, or to what they were with some bytes changed.
	 */
	private void damage(byte[] key, String type, byte[] text) {
		switch (type) {
			case "string" -> server().set(key, changed(server().get(key), text));
			case "hash" -> {
				Map<byte[], byte[]> fields = server().hgetall(key);
				fields.forEach((field, value) -> server().hset(key, field, changed(value, text)));
				server().hset(key, changed(bytes("field"), text), changed(bytes("value"), text));
			}
			case "list" -> server().lpush(key, changed(bytes("entry"), text));
			case "set" -> server().sadd(key, changed(server().srandmember(key), text));
			default -> {
				List<byte[]> members = new ArrayList<>(server().zrange(key, 0, -1));
				members.add(changed(members.get(0), text));
				double[] scores = { Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e300, -1, 0.5,
						9007199254740994d };
				double score = scores[this.random.nextInt(scores.length)];
				members.forEach((member) -> server().zadd(key, score, member));
			}
		}
	}

	private byte[] changed(byte[] value, byte[] text) {
		if (text != null) {
			return text;
		}
		byte[] changed = value.clone();
		for (int n = this.random.nextInt(4); n >= 0 && changed.length > 0; n--) {
			int at = this.random.nextInt(changed.length);
			switch (this.random.nextInt(4)) {
				case 0 -> changed[at] = (byte) this.random.nextInt(256);
				case 1 -> changed[at] = (byte) ('0' + this.random.nextInt(10));
				case 2 -> changed = Arrays.copyOf(changed, at);
				default -> changed[at] = ':';
			}
		}
		return changed;
	}

	private static void goOn(UsedNamespace namespace, String which) {
		try {
			namespace.beat("w");
			namespace.work();
			namespace.view();
			namespace.tend();
			namespace.rescue();
			List<Claim> claims = namespace.claimAll("w");
			assertThat(claims).allMatch((claim) -> namespace.succeed(claim) == Settled.APPLIED);
			namespace.view();
			namespace.work();
			assertThat(namespace.store().inspector().faults())
				.allMatch((fault) -> fault.text().contains(" holds settings for the queue "));
		}
		catch (RuntimeException | AssertionError ex) {
			throw new AssertionError(which, ex);
		}
	}

}
