package dev.jobs.benchmarks;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the architecture of the benchmarks.
 */
class ArchitectureTests {

	private static final String ROOT = "dev.jobs.benchmarks";

	/**
	 * What each package may see of the others; itself is understood.
	 */
	private static final Map<String, Set<String>> ARROWS = Map.of( //
			ROOT + ".load", Set.of(), //
			ROOT + ".store", Set.of(ROOT + ".load"), //
			ROOT + ".subject", Set.of(ROOT + ".load", ROOT + ".store"), //
			ROOT + ".server", Set.of(ROOT + ".load", ROOT + ".store", ROOT + ".subject"), //
			ROOT + ".page", Set.of(ROOT + ".load", ROOT + ".store"), //
			ROOT, Set.of(ROOT + ".load", ROOT + ".store", ROOT + ".subject", ROOT + ".server", ROOT + ".page"));

	/**
	 * How many types a package has at most, so that it is read in one go.
	 */
	private static final int MOST_TYPES = 15;

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages(ROOT);

	@Test
	void packagesSeeOnlyWhatTheirArrowsPointTo() {
		ARROWS.forEach((name, seen) -> classes().that()
			.resideInAPackage(name)
			.should()
			.onlyDependOnClassesThat(resideOutsideOfPackage(ROOT + "..").or(resideInAnyPackage(name))
				.or(resideInAnyPackage(seen.toArray(String[]::new))))
			.check(CLASSES));
	}

	@Test
	void filesAreFreeOfCycles() {
		SlicesRuleDefinition.slices().assignedFrom(new Files()).should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void packagesAreSmall() {
		List<String> names = CLASSES.stream()
			.filter((type) -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
			.map(JavaClass::getPackageName)
			.toList();
		assertThat(Set.copyOf(names)).isEqualTo(ARROWS.keySet())
			.allMatch((name) -> Collections.frequency(names, name) <= MOST_TYPES);
	}

	/**
	 * The files: each is a top-level type with all that is nested in it.
	 */
	private static final class Files implements SliceAssignment {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass type) {
			return SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""));
		}

		@Override
		public String getDescription() {
			return "files";
		}

	}

}
