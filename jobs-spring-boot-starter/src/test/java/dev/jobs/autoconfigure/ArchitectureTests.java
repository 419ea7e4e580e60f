package dev.jobs.autoconfigure;

import java.util.Set;

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
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
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
			"dev.jobs.engine.enqueue.EnqueueGate", "dev.jobs.engine.loop.LoopStatus",
			"dev.jobs.engine.run.HandlerTransactions");

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
			.dependOnClassesThat(resideInAPackage("dev.jobs.store..")
				.and(DescribedPredicate.not(name("dev.jobs.store.ErrorText")))));
	}

	@Test
	void dashboardSeesNothingOfTheEngine() {
		check(noClasses().that()
			.resideInAPackage("dev.jobs.dashboard")
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

	private boolean isPublic(JavaMember member) {
		return member.getModifiers().contains(JavaModifier.PUBLIC);
	}

	private void check(ArchRule rule) {
		rule.allowEmptyShould(true).check(CLASSES);
	}

}
