package dev.jobs.store.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.JobStoreException;
import dev.jobs.store.Settled;
import dev.jobs.store.support.StoreFault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link RedisJobStore} when another program has replaced a key, for every key
 * that the scripts know.
 */
class RedisKeyTypeTests {

	private static final String SCRIPTS = "/dev/jobs/store/redis/lua/";

	/**
	 * What is an operator's, or cannot be told from anything else. Work may stop for it.
	 */
	private static final Set<String> KEPT = Set.of("partitions", "jobs", "trail", "unique", "owners", "queues",
			"schedules", "specs", "remembered");

	/**
	 * Those of them that claims, ends and enqueues without a unique key do not need.
	 */
	private static final Set<String> NEEDED_BY_FEW = Set.of("owners", "schedules", "specs", "remembered");

	private final Logger logger = (Logger) LoggerFactory.getLogger("dev.jobs.store.redis");

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	@BeforeEach
	void listenToTheLog() {
		this.logged.start();
		this.logger.setLevel(Level.WARN);
		this.logger.setAdditive(false);
		this.logger.addAppender(this.logged);
	}

	@AfterEach
	void leaveTheLog() {
		this.logger.detachAppender(this.logged);
		this.logger.setAdditive(true);
		this.logger.setLevel(null);
	}

	private static String script(String name) {
		try (InputStream file = RedisJobStore.class.getResourceAsStream(SCRIPTS + name + ".lua")) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the names of all scripts but the list of keys itself.
	 */
	private static Stream<String> scripts() throws IOException, URISyntaxException {
		Path directory = Path.of(RedisJobStore.class.getResource(SCRIPTS).toURI());
		try (Stream<Path> files = Files.walk(directory)) {
			return files.map((file) -> directory.relativize(file).toString().replace(File.separatorChar, '/'))
				.filter((name) -> name.endsWith(".lua"))
				.map((name) -> name.substring(0, name.length() - ".lua".length()))
				.filter((name) -> !name.equals("shared/kinds"))
				.toList()
				.stream();
		}
	}

	private static Set<String> matches(String text, String pattern) {
		Set<String> found = new TreeSet<>();
		Matcher matcher = Pattern.compile(pattern).matcher(text);
		while (matcher.find()) {
			found.add(matcher.group(1));
		}
		return found;
	}

	/**
	 * Return the keys of the namespace that the scripts have a list of.
	 */
	private static Set<String> known() {
		String kinds = script("shared/kinds");
		Set<String> known = matches(kinds, "\\['([\\w:-]+)'\\] = '(?:zset|hash|set|list|string)'");
		known.addAll(matches(kinds, "(\\w+) = '(?:zset|hash|set|list|string)'"));
		return known;
	}

	/**
	 * Keys whose name ends with that of a worker or a time are known by how it begins.
	 */
	private static String family(String key) {
		return key.matches("(held|saved|tally):.*") ? key.substring(0, key.indexOf(':')) : key;
	}

	@Test
	void scriptsUseNoKeyThatIsNotInTheirListAndTheListHasNoOther() throws Exception {
		String all = scripts().map(RedisKeyTypeTests::script).reduce("", String::concat);
		Set<String> used = new HashSet<>();
		matches(all, "base \\.\\. '([a-z-]+:?)'").forEach((name) -> used.add(name.replace(":", "")));
		used.add("jobs");
		used.removeAll(Set.of("q", "aside", "nothing"));
		if (used.remove("tallies")) {
			used.addAll(Set.of("tallies:1", "tallies:10"));
		}
		used.add("partitions");
		assertThat(known()).isEqualTo(new TreeSet<>(used));
	}

	@Test
	void everyKnownKeyIsUsedByTheTests() {
		try (UsedNamespace namespace = new UsedNamespace()) {
			assertThat(namespace.keys().stream().filter((key) -> !key.startsWith("q:")).map(RedisKeyTypeTests::family))
				.containsAll(known())
				.allMatch(known()::contains);
			assertThat(namespace.keys()).contains("q:q:ready", "q:q:skip", "q:q:scheduled", "q:q:retry", "q:q:running",
					"q:q:dead", "q:q:done", "q:q:unique", "q:q:tags", "q:q:waiting", "q:q:abandoned");
		}
	}

	static Stream<String> keys() {
		try (UsedNamespace namespace = new UsedNamespace()) {
			return new ArrayList<>(namespace.keys()).stream();
		}
	}

	@ParameterizedTest
	@MethodSource("keys")
	void keyOfAnotherTypeIsNamedStopsNoOtherAndRunsNothingAgain(String key) {
		for (String type : List.of("string", "list", "hash", "zset")) {
			try (UsedNamespace namespace = new UsedNamespace()) {
				byte[] before = namespace.server().dump(namespace.key(key));
				if (namespace.becomes(key, type)) {
					this.logged.list.clear();
					expectNamedAndHarmless(namespace, key, before);
				}
			}
		}
	}

	@Test
	void keysOfOneKindAreSetAsideBesideEachOther() {
		try (UsedNamespace namespace = new UsedNamespace()) {
			List<String> tallies = namespace.keys().stream().filter((key) -> key.startsWith("tally:")).toList();
			tallies.forEach((key) -> namespace.server().set(namespace.key(key), key));
			namespace.beat("w");
			namespace.tend();
			List<String> aside = namespace.keys().stream().filter((key) -> key.startsWith("aside:")).toList();
			assertThat(aside).hasSameSizeAs(tallies).startsWith("aside:tally", "aside:tally:2");
			assertThat(aside).extracting((key) -> namespace.server().get(namespace.key(key)))
				.containsExactlyInAnyOrderElementsOf(tallies);
			assertThat(namespace.store().inspector().faults()).extracting(StoreFault::text)
				.allSatisfy((text) -> assertThat(aside).anyMatch((key) -> text.contains(namespace.key(key) + " ")));
		}
	}

	private void expectNamedAndHarmless(UsedNamespace namespace, String key, byte[] before) {
		boolean kept = KEPT.contains(key);
		String name = namespace.key(key);
		namespace.beat("w");
		if (kept) {
			for (Runnable verb : List.<Runnable>of(namespace::work, namespace::view, namespace::tend)) {
				expectNamed(name, verb);
			}
			assertThatNoException().isThrownBy(() -> namespace.beat("w"));
			if (NEEDED_BY_FEW.contains(key)) {
				namespace.workPlainly();
			}
			if (Set.of("schedules", "specs", "remembered").contains(key)) {
				namespace.work();
				namespace.pauseAndResume();
			}
		}
		else {
			namespace.work();
			if (key.startsWith("q:")) {
				expectNamed(name, namespace::view);
			}
			else {
				namespace.view();
			}
			namespace.tend();
			namespace.rescue();
		}
		Settled settled = trySettle(namespace, name);
		if (NEEDED_BY_FEW.contains(key)) {
			assertThat(settled).isEqualTo(Settled.APPLIED);
		}
		List<StoreFault> faults = namespace.store().inspector().faults();
		String aside = namespace.key("aside:" + family(key).split(":")[0]);
		assertThat(faults).anyMatch((fault) -> fault.text().contains(fault.stopsWork() ? name : aside));
		assertThat(faults).anyMatch((fault) -> fault.stopsWork() == (kept || key.startsWith("q:")));
		assertThat(this.logged.list).extracting(ILoggingEvent::getFormattedMessage)
			.anyMatch((line) -> line.contains(name) || line.contains(aside));
		if (kept || key.startsWith("q:")) {
			namespace.server().del(name);
			namespace.server().restore(name, 0, before);
		}
		namespace.server().del(aside);
		assertThat(namespace.store().inspector().faults()).isEmpty();
		if (settled != Settled.APPLIED && settled != Settled.LOST && settled != Settled.GONE) {
			assertThat(namespace.succeed(namespace.held())).isNotEqualTo(Settled.UNDECIDED);
		}
		namespace.work();
		namespace.view();
		namespace.tend();
		namespace.rescue();
		namespace.claimAll("w");
		namespace.tend();
		namespace.claimAll("w");
	}

	private static Settled trySettle(UsedNamespace namespace, String name) {
		try {
			return namespace.succeed(namespace.held());
		}
		catch (JobStoreException ex) {
			assertThat(ex).hasMessageContaining(name);
			assertThat(ex.isRefused()).isTrue();
			return Settled.UNDECIDED;
		}
	}

	/**
	 * Expect that something either goes on or names what is at fault.
	 */
	private static void expectNamed(String name, Runnable verb) {
		try {
			verb.run();
		}
		catch (JobStoreException ex) {
			assertThat(ex).hasMessageContaining(name);
			assertThat(ex.isRefused()).isTrue();
		}
	}

}
