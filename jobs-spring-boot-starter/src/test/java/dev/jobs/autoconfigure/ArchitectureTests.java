package dev.jobs.autoconfigure;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.jobs.FileCycles;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the architecture of the auto-configuration and the dashboard.
 */
class ArchitectureTests {

	/**
	 * The types that others may see in the packages below the engine's own, beside what
	 * is set before it starts.
	 */
	private static final Set<String> OPEN_ENGINE_TYPES = Set.of("dev.jobs.engine.context.LogContext",
			"dev.jobs.engine.loop.LoopStatus", "dev.jobs.engine.run.HandlerTransactions");

	/**
	 * The types of the engine that the dashboard and the endpoint may see, for what is
	 * true of this process only.
	 */
	private static final Set<String> OF_THIS_PROCESS = Set.of("dev.jobs.engine.EngineStatus",
			"dev.jobs.engine.JobEngine", "dev.jobs.engine.settings.EnqueueRules",
			"dev.jobs.engine.settings.HandlerDefinition");

	/**
	 * What each package of the auto-configuration may see of the others: a package for
	 * each technology, and above them the one that puts the engine together.
	 */
	private static final Map<String, Set<String>> ARROWS = Map.of( //
			"properties", Set.of(), //
			"handler", Set.of("properties"), //
			"jdbc", Set.of("properties"), //
			"redis", Set.of("properties", "jdbc"), //
			"transaction", Set.of("properties", "jdbc"), //
			"logging", Set.of(), //
			"", Set.of("properties", "handler", "jdbc", "redis", "transaction", "logging"), //
			"metrics", Set.of("properties", ""), //
			"actuate", Set.of("properties", ""));

	/**
	 * How many types a package of the auto-configuration has at most, so that it is read
	 * in one go.
	 */
	private static final int MOST_TYPES = 15;

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.withImportOption((location) -> location.contains("/jobs-spring-boot-autoconfigure/")
				|| location.contains("/jobs-dashboard/"))
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
	void autoConfigurationIsAPackagePerTechnology() {
		ARROWS.forEach((name, seen) -> check(classes().that()
			.resideInAPackage(packageName(name))
			.should()
			.onlyDependOnClassesThat(resideOutsideOfPackage("dev.jobs.autoconfigure..")
				.or(resideInAnyPackage(seen.stream().map(ArchitectureTests::packageName).toArray(String[]::new)))
				.or(resideInAPackage(packageName(name))))));
		assertThat(ownPackages())
			.containsExactlyInAnyOrderElementsOf(ARROWS.keySet().stream().map(ArchitectureTests::packageName).toList());
	}

	@Test
	void packagesOfTheAutoConfigurationAreSmall() {
		List<String> names = CLASSES.stream()
			.filter(JavaClass::isTopLevelClass)
			.map(JavaClass::getPackageName)
			.filter((name) -> name.startsWith("dev.jobs.autoconfigure"))
			.toList();
		assertThat(ownPackages()).allMatch((name) -> Collections.frequency(names, name) <= MOST_TYPES);
	}

	@Test
	void healthNeverSeesTheStoreItself() {
		check(noClasses().that()
			.resideInAPackage("dev.jobs.health..")
			.should()
			.dependOnClassesThat()
			.haveFullyQualifiedName("dev.jobs.store.JobStore"));
	}

	@Test
	void dashboardAndEndpointSeeNothingOfTheStoreButJobOperations() {
		check(noClasses().that()
			.resideInAnyPackage("dev.jobs.actuate..", "dev.jobs.dashboard..", "dev.jobs.query..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("dev.jobs.store.."));
	}

	@Test
	void dashboardAndEndpointAskTheEngineOnlyAboutThisProcess() {
		check(noClasses().that()
			.resideInAnyPackage("dev.jobs.actuate..", "dev.jobs.dashboard..", "dev.jobs.query..")
			.should()
			.dependOnClassesThat(resideInAPackage("dev.jobs.engine..")
				.and(describe("say more than that", (type) -> !OF_THIS_PROCESS.contains(type.getName())))));
	}

	@Test
	void dashboardSeesNothingOfTheEngine() {
		check(noClasses().that()
			.resideInAPackage("dev.jobs.dashboard..")
			.and()
			.areNotAnnotatedWith(AutoConfiguration.class)
			.should()
			.dependOnClassesThat(resideInAnyPackage("dev.jobs.engine", "dev.jobs.serialization")));
	}

	@Test
	void partsOfTheEngineStayHidden() {
		check(noClasses().should()
			.dependOnClassesThat(resideInAnyPackage("dev.jobs.engine.*")
				.and(describe("are parts of it", (type) -> !type.getPackageName().equals("dev.jobs.engine.settings")
						&& !OPEN_ENGINE_TYPES.contains(type.getName().replaceFirst("\\$.*", ""))))));
	}

	@Test
	void partsOfTheRedisStoreStayHidden() {
		check(noClasses().should()
			.dependOnClassesThat(resideInAnyPackage("dev.jobs.store.redis.*")
				.and(DescribedPredicate.not(resideInAPackage("dev.jobs.store.redis.check")))));
	}

	@Test
	void partsOfTheJdbcStoreStayHidden() {
		check(noClasses().should().dependOnClassesThat().resideInAPackage("dev.jobs.store.jdbc.*.."));
	}

	@Test
	void autoConfigurationsArePublicAndFinal() {
		check(classes().that()
			.areAnnotatedWith(AutoConfiguration.class)
			.should()
			.bePublic()
			.andShould()
			.haveModifier(JavaModifier.FINAL));
	}

	@Test
	void autoConfigurationsHaveNoPublicMembers() {
		assertThat(CLASSES).filteredOn((type) -> type.isAnnotatedWith(AutoConfiguration.class))
			.flatMap(JavaClass::getMembers)
			.filteredOn((member) -> !(member instanceof JavaConstructor))
			.noneMatch(this::isPublic);
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

	private static String packageName(String name) {
		return name.isEmpty() ? "dev.jobs.autoconfigure" : "dev.jobs.autoconfigure." + name;
	}

	private static Set<String> ownPackages() {
		return CLASSES.stream()
			.map(JavaClass::getPackageName)
			.filter((name) -> name.startsWith("dev.jobs.autoconfigure"))
			.collect(Collectors.toSet());
	}

	private boolean isPublic(JavaMember member) {
		return member.getModifiers().contains(JavaModifier.PUBLIC);
	}

	private void check(ArchRule rule) {
		rule.allowEmptyShould(true).check(CLASSES);
	}

}
