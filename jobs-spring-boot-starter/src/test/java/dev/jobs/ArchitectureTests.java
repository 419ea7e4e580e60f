package dev.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the architecture of the core and the stores: which package may see which, and
 * what none of them may do.
 */
class ArchitectureTests {

	private static final Set<String> MODULES = Set.of("jobs-core", "jobs-redis", "jobs-jdbc");

	/** Tools for texts, which are seen by all. */
	private static final String TEXT = "dev.jobs.text";

	private static final String STORE = "dev.jobs.store";

	private static final String VIEW = "dev.jobs.store.view";

	private static final String SUPPORT = "dev.jobs.store.support";

	private static final Set<String> API = Set.of("dev.jobs", "dev.jobs.operations", STORE, VIEW, SUPPORT,
			"dev.jobs.cron", "dev.jobs.serialization", TEXT);

	/**
	 * What each package may see of the others; itself is understood.
	 */
	private static final Map<String, Set<String>> ARROWS = Map.ofEntries( //
			arrows(TEXT), //
			arrows("dev.jobs", TEXT), //
			arrows("dev.jobs.operations", "dev.jobs"), //
			arrows(STORE, "dev.jobs", VIEW, SUPPORT, TEXT), //
			arrows(VIEW, "dev.jobs", SUPPORT, TEXT), //
			arrows(SUPPORT, "dev.jobs", TEXT), //
			arrows("dev.jobs.cron", "dev.jobs", STORE, VIEW), //
			arrows("dev.jobs.serialization", "dev.jobs"), //
			engine("settings"), //
			engine("context", "settings"), //
			engine("loop", "context"), //
			engine("outbox", "settings", "context", "loop"), //
			engine("enqueue", "settings", "context", "outbox"), //
			engine("lease", "settings", "context", "loop"), //
			engine("result", "settings", "context", "loop", "enqueue"), //
			engine("settle", "settings", "context", "loop", "lease", "result"), //
			engine("run", "settings", "context", "loop", "lease", "result", "settle"), //
			engine("claim", "settings", "context", "loop", "lease", "settle", "run"), //
			engine("schedule", "settings", "context", "loop", "lease", "enqueue"), //
			engine("upkeep", "settings", "context", "loop", "lease", "settle"), //
			engine("bulk", "settings", "context", "loop", "lease"), //
			engine("", "settings", "context", "loop", "outbox", "enqueue", "lease", "result", "settle", "run", "claim",
					"schedule", "upkeep", "bulk"), //
			arrows("dev.jobs.metrics", "dev.jobs", STORE, VIEW, SUPPORT), //
			arrows("dev.jobs.store.memory", "dev.jobs", STORE, VIEW, SUPPORT, TEXT), //
			redis("format"), //
			redis("wire", "format"), //
			redis("layout", "wire"), //
			redis("page", "format", "wire", "layout"), //
			redis("partition", "format", "wire"), //
			redis("cluster", "format", "wire", "layout", "partition"), //
			redis("", "wire", "layout", "page", "partition", "cluster"), //
			redis("check", "", "wire"), //
			jdbc("row"), //
			jdbc("signal", "row"), //
			jdbc("sql", "row", "signal"), //
			jdbc("worker", "row", "sql"), //
			jdbc("saved", "row", "sql"), //
			jdbc("operation", "row", "signal", "sql", "worker", "read", "saved"), //
			jdbc("read", "row", "sql", "worker"), //
			jdbc("plain", "row", "signal", "sql", "worker", "operation", "read"), //
			jdbc("postgres.statement", "row", "sql", "read"), //
			jdbc("postgres.mark", "sql", "worker", "postgres.statement"), //
			jdbc("postgres", "row", "signal", "sql", "worker", "operation", "read", "postgres.statement",
					"postgres.mark"), //
			jdbc("", "row", "signal", "sql", "worker", "operation", "read", "saved", "plain", "postgres"));

	private static Map.Entry<String, Set<String>> arrows(String name, String... seen) {
		return Map.entry(name, Set.of(seen));
	}

	/**
	 * A package of the engine, which may see the API and other packages of the engine.
	 */
	private static Map.Entry<String, Set<String>> engine(String name, String... seen) {
		return Map.entry(engineName(name),
				Stream.concat(API.stream(), Stream.of(seen).map(ArchitectureTests::engineName))
					.collect(Collectors.toUnmodifiableSet()));
	}

	/**
	 * A package of the store in Redis, which may see the seam and other packages of it.
	 */
	private static Map.Entry<String, Set<String>> redis(String name, String... seen) {
		return Map.entry(redisName(name),
				Stream
					.concat(Stream.of("dev.jobs", STORE, VIEW, SUPPORT, TEXT),
							Stream.of(seen).map(ArchitectureTests::redisName))
					.collect(Collectors.toUnmodifiableSet()));
	}

	private static String redisName(String name) {
		return name.isEmpty() ? "dev.jobs.store.redis" : "dev.jobs.store.redis." + name;
	}

	/**
	 * A package of the store in a database, which may see the seam and other packages of
	 * that store.
	 */
	private static Map.Entry<String, Set<String>> jdbc(String name, String... seen) {
		return Map.entry(jdbcName(name),
				Stream
					.concat(Stream.of("dev.jobs", STORE, VIEW, SUPPORT, TEXT),
							Stream.of(seen).map(ArchitectureTests::jdbcName))
					.collect(Collectors.toUnmodifiableSet()));
	}

	private static String jdbcName(String name) {
		return name.isEmpty() ? "dev.jobs.store.jdbc" : "dev.jobs.store.jdbc." + name;
	}

	private static String engineName(String name) {
		return name.isEmpty() ? "dev.jobs.engine" : "dev.jobs.engine." + name;
	}

	/**
	 * The types of the store in Redis that applications use. All others are public only
	 * for other packages of it.
	 */
	private static final Set<String> REDIS_API = Set.of("dev.jobs.store.redis.RedisJobStore",
			"dev.jobs.store.redis.RedisDurability", "dev.jobs.store.redis.check.ServerCheck",
			"dev.jobs.store.redis.check.ServerReport");

	/**
	 * What applications use of the store in a database. All else is public only so that
	 * its other packages see it.
	 */
	private static final Set<String> JDBC_API = Set.of("Database", "JdbcJobStore", "JdbcOutbox", "JdbcSchema",
			"PoolerTrial", "SchemaCheck");

	/**
	 * How many types a package of the engine, or of the store in Redis or in a database,
	 * has at most, so that it is read in one go.
	 */
	private static final int MOST_TYPES = 16;

	/**
	 * The only types that may read a clock or draw a random number themselves.
	 */
	private static final Set<String> SOURCES_OF_TIME_OR_CHANCE = Set.of("dev.jobs.engine.enqueue.JobIds",
			"dev.jobs.engine.context.WorkerContext", "dev.jobs.engine.context.StoreClock",
			"dev.jobs.store.support.Refusals", "dev.jobs.store.support.ReadDeadline");

	private static final Set<String> CLOCKS_AND_CHANCE = Set.of("java.lang.Math.random",
			"java.lang.System.currentTimeMillis", "java.lang.System.nanoTime", "java.time.Clock.system",
			"java.time.Clock.systemDefaultZone", "java.time.Clock.systemUTC", "java.time.Instant.now",
			"java.time.InstantSource.system", "java.time.LocalDate.now", "java.time.LocalDateTime.now",
			"java.time.LocalTime.now", "java.time.OffsetDateTime.now", "java.time.ZonedDateTime.now",
			"java.security.SecureRandom.<init>", "java.util.Random.<init>", "java.util.SplittableRandom.<init>",
			"java.util.concurrent.ThreadLocalRandom.current", "java.util.random.RandomGenerator.getDefault",
			"java.util.random.RandomGenerator.of");

	/**
	 * How many lines of code the product has at most. A commit that raises this says why.
	 */
	private static final int MOST_LINES = 48_466;

	private static final Set<String> PRODUCT = Set.of("jobs-core", "jobs-redis", "jobs-jdbc", "jobs-dashboard",
			"jobs-spring-boot-autoconfigure", "jobs-spring-boot-starter", "jobs-test");

	/**
	 * Records of the seam that will get more parts: only their own file makes them by
	 * constructor, so that a part more changes nobody else, tests included.
	 */
	private static final Pattern GROWING = Pattern.compile("\\bnew (NewJob|Tick|Transition|QueueView)\\(");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.withImportOption((location) -> MODULES.stream().anyMatch((module) -> location.contains("/" + module + "/")))
		.importPackages("dev.jobs");

	@Test
	void packagesAreFreeOfCycles() {
		check(SlicesRuleDefinition.slices().matching("dev.(**)").should().beFreeOfCycles());
	}

	@Test
	void filesOfAPackageAreFreeOfCycles() {
		assertThat(FileCycles.in(CLASSES)).isEmpty();
	}

	@Test
	void packagesSeeOnlyWhatTheirArrowsPointTo() {
		ARROWS.forEach(
				(name, seen) -> check(
						classes().that()
							.resideInAPackage(name)
							.should()
							.onlyDependOnClassesThat(resideOutsideOfPackage("dev.jobs..")
								.or(resideInAnyPackage(seen.toArray(String[]::new)))
								.or(resideInAnyPackage(name)))));
	}

	@Test
	void noPublicTypeOfTheApiIsARecord() {
		check(classes().that().resideInAPackage("dev.jobs").and().arePublic().should().notBeRecords());
	}

	@Test
	void apiShowsNoToolForTexts() {
		assertThat(CLASSES).filteredOn((type) -> !type.getPackageName().equals(TEXT))
			.filteredOn(
					(type) -> API.contains(type.getPackageName()) && type.getModifiers().contains(JavaModifier.PUBLIC))
			.flatMap(JavaClass::getMembers)
			.filteredOn((member) -> member.getModifiers().contains(JavaModifier.PUBLIC))
			.flatMap(JavaMember::getAllInvolvedRawTypes)
			.noneMatch((type) -> type.getPackageName().equals(TEXT));
	}

	@Test
	void everyPackageHasItsArrows() {
		assertThat(CLASSES).extracting(JavaClass::getPackageName).isSubsetOf(ARROWS.keySet());
	}

	@Test
	void everyModuleIsLookedAt() {
		assertThat(CLASSES).extracting(JavaClass::getPackageName)
			.contains("dev.jobs.engine", "dev.jobs.store.redis", "dev.jobs.store.jdbc");
	}

	@Test
	void onlyTheRedisStoreSeesLettuceAndSpringData() {
		checkOnlySeenBy("dev.jobs.store.redis..", "io.lettuce..", "org.springframework.data..");
	}

	@Test
	void onlyTheJdbcStoreSeesSql() {
		checkOnlySeenBy("dev.jobs.store.jdbc..", "java.sql..", "javax.sql..", "org.springframework.jdbc..");
	}

	@Test
	void applicationsSeeFewTypesOfTheJdbcStore() {
		assertThat(CLASSES).filteredOn((type) -> type.getPackageName().equals("dev.jobs.store.jdbc"))
			.filteredOn(JavaClass::isTopLevelClass)
			.filteredOn((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.extracting(JavaClass::getSimpleName)
			.containsExactlyInAnyOrderElementsOf(JDBC_API);
	}

	@Test
	void onlyMetricsSeeMicrometer() {
		checkOnlySeenBy("dev.jobs.metrics", "io.micrometer..");
	}

	@Test
	void nobodySeesSpringBoot() {
		check(noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework.boot.."));
	}

	@Test
	void packagesOfTheEngineAndOfTheStoresAreSmall() {
		assertThat(CLASSES)
			.filteredOn((type) -> Stream.of("dev.jobs.engine", "dev.jobs.store.redis", "dev.jobs.store.jdbc")
				.anyMatch(type.getPackageName()::startsWith))
			.filteredOn(JavaClass::isTopLevelClass)
			.extracting(JavaClass::getPackageName)
			.satisfies((names) -> assertThat(Set.copyOf(names))
				.allMatch((name) -> Collections.frequency(names, name) <= MOST_TYPES));
	}

	@Test
	void applicationsSeeNothingInsideTheRedisStore() {
		assertThat(CLASSES).filteredOn((type) -> isRedisApi(type) && type.getModifiers().contains(JavaModifier.PUBLIC))
			.flatMap(JavaClass::getMembers)
			.filteredOn((member) -> member.getModifiers().contains(JavaModifier.PUBLIC))
			.flatMap(JavaMember::getAllInvolvedRawTypes)
			.filteredOn((type) -> type.getPackageName().startsWith("dev.jobs.store.redis"))
			.allMatch(this::isRedisApi);
	}

	@Test
	void redisStoreItselfHasNoOtherPublicTypes() {
		assertThat(CLASSES)
			.filteredOn((type) -> Set.of("dev.jobs.store.redis", "dev.jobs.store.redis.check")
				.contains(type.getPackageName()))
			.filteredOn((type) -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
			.extracting(JavaClass::getName)
			.containsExactlyInAnyOrderElementsOf(REDIS_API);
	}

	private boolean isRedisApi(JavaClass type) {
		return REDIS_API.contains(type.getName().replaceFirst("\\$.*", ""));
	}

	@Test
	void timeAndChanceEnterFromOutside() {
		check(noClasses().that(describe("are not a source of time or chance", this::isNoSourceOfTimeOrChance))
			.should()
			.accessTargetWhere(describe("a clock is read or a number drawn", this::readsClockOrDrawsNumber)));
	}

	@Test
	void everyPackageIsNullMarked() {
		assertThat(CLASSES).extracting(JavaClass::getPackage)
			.allMatch((found) -> found.isAnnotatedWith(NullMarked.class), "is null-marked");
	}

	@Test
	void namesSayWhatATypeDoes() {
		Set.of("Manager", "Helper", "Util", "Utils", "Impl")
			.forEach((ending) -> check(noClasses().should().haveSimpleNameEndingWith(ending)));
	}

	@Test
	void recordsOfTheSeamAreMadeByName() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of(".."))) {
			assertThat(files.filter((file) -> file.toString().matches(".*/src/(main|test)/.*\\.(java|kt)"))).noneMatch(
					(file) -> GROWING.matcher(read(file)).results().anyMatch((made) -> isSeen(made.group(1), file)));
		}
	}

	private static boolean isSeen(String type, Path file) {
		return Pattern.compile("import dev\\.jobs\\.store\\.(view\\.)?" + type + ";").matcher(read(file)).find();
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void productHasNoMoreCodeThanIsAllowed() throws IOException {
		long lines = 0;
		for (String module : PRODUCT) {
			try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main"))) {
				lines += files.filter((file) -> file.toString().matches(".*\\.(java|lua|sql|m?js|css|html)"))
					.mapToLong(ArchitectureTests::linesOfCode)
					.sum();
			}
			catch (NoSuchFileException ex) {
				// A module without code of its own.
			}
		}
		assertThat(lines).isLessThanOrEqualTo(MOST_LINES);
	}

	/**
	 * Return how many lines of a file are code: neither blank nor a comment, an import or
	 * the name of a package.
	 */
	private static long linesOfCode(Path file) {
		String name = file.toString();
		String text = read(file);
		String code = name.endsWith(".lua") ? text.replaceAll("(?s)--\\[\\[.*?\\]\\]", "").replaceAll("--.*", "")
				: name.endsWith(".sql") ? text.replaceAll("--.*", "")
						: text.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)^[ \\t]*//.*", "");
		return code.lines().filter((line) -> !line.isBlank() && !line.matches("\\s*(import|package) .*")).count();
	}

	private boolean isNoSourceOfTimeOrChance(JavaClass type) {
		String outermost = type.getName().replaceFirst("\\$.*", "");
		return !SOURCES_OF_TIME_OR_CHANCE.contains(outermost);
	}

	private boolean readsClockOrDrawsNumber(JavaAccess<?> access) {
		AccessTarget target = access.getTarget();
		return CLOCKS_AND_CHANCE.contains(target.getOwner().getName() + "." + target.getName());
	}

	private void checkOnlySeenBy(String name, String... libraries) {
		check(noClasses().that()
			.resideOutsideOfPackage(name)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(libraries));
	}

	private void check(ArchRule rule) {
		rule.allowEmptyShould(true).check(CLASSES);
	}

}
