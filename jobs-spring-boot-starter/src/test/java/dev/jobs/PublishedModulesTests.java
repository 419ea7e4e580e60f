package dev.jobs;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.apache.maven.model.Dependency;
import org.apache.maven.model.License;
import org.apache.maven.model.Model;
import org.apache.maven.model.Parent;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.model.Repository;
import org.apache.maven.model.building.DefaultModelBuilderFactory;
import org.apache.maven.model.building.DefaultModelBuildingRequest;
import org.apache.maven.model.building.FileModelSource;
import org.apache.maven.model.building.ModelBuilder;
import org.apache.maven.model.building.ModelBuildingException;
import org.apache.maven.model.building.ModelBuildingRequest;
import org.apache.maven.model.building.ModelSource;
import org.apache.maven.model.resolution.ModelResolver;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what is published: the modules and their POMs, as Maven reads them for a
 * release, meet the rules of Maven Central.
 */
class PublishedModulesTests {

	private static final String FORGE = "https://forge.example/jobs/jobs";

	private static final String GROUP = "dev.jobs";

	private static final Model ROOT = effective(Path.of("..", "pom.xml"));

	private static final Map<String, Model> MODULES = modules();

	private static final List<Model> PUBLISHED = MODULES.values()
		.stream()
		.filter((module) -> !"true".equals(module.getProperties().getProperty("maven.deploy.skip")))
		.toList();

	private static final List<Model> LIBRARIES = PUBLISHED.stream()
		.filter((module) -> module.getPackaging().equals("jar"))
		.toList();

	@Test
	void whatIsForDevelopmentOnlyIsNotPublished() {
		assertThat(MODULES.values()).filteredOn((module) -> !PUBLISHED.contains(module))
			.extracting(Model::getArtifactId)
			.containsExactly("jobs-benchmarks", "jobs-build", "jobs-docs", "jobs-fault-lab", "jobs-kotlin-tests",
					"sample-app");
	}

	@Test
	void coordinatesAndPackagingAreValid() {
		assertThat(PUBLISHED).isNotEmpty().allSatisfy((module) -> {
			assertThat(module.getGroupId()).isEqualTo(GROUP);
			assertThat(module.getArtifactId()).matches("jobs-[a-z-]+");
			assertThat(module.getVersion()).isEqualTo(ROOT.getVersion()).matches("\\d+\\.\\d+\\.\\d+(-[A-Z0-9]+)?");
			assertThat(module.getPackaging()).isIn("jar", "pom");
		});
	}

	@Test
	void eachModuleHasItsOwnNameAndDescription() {
		assertThat(PUBLISHED).extracting(Model::getName).doesNotContainNull().doesNotHaveDuplicates();
		assertThat(PUBLISHED).extracting(Model::getDescription).doesNotContainNull().doesNotHaveDuplicates();
	}

	@Test
	void everyAddressIsThatOfTheForgeWhichTheReleaseNames() {
		assertThat(PUBLISHED).allSatisfy((module) -> {
			assertThat(module.getUrl()).isEqualTo(FORGE);
			assertThat(module.getScm().getUrl()).isEqualTo(FORGE);
			assertThat(module.getScm().getConnection()).isEqualTo("scm:git:" + FORGE + ".git");
			assertThat(module.getScm().getDeveloperConnection()).isEqualTo("scm:git:" + FORGE + ".git");
			assertThat(module.getScm().getTag()).isEqualTo("v" + module.getVersion());
			assertThat(module.getIssueManagement().getUrl()).isEqualTo(FORGE + "/issues");
		});
	}

	@Test
	void licenseIsThatOfTheProject() {
		assertThat(PUBLISHED).allSatisfy((module) -> assertThat(module.getLicenses()).singleElement()
			.extracting(License::getName, License::getUrl)
			.containsExactly("Apache License, Version 2.0", "https://www.apache.org/licenses/LICENSE-2.0"));
	}

	@Test
	void developersAreNamed() {
		assertThat(PUBLISHED)
			.allSatisfy((module) -> assertThat(module.getDevelopers()).isNotEmpty().allSatisfy((developer) -> {
				assertThat(developer.getName()).isNotBlank();
				assertThat(developer.getOrganization()).isEqualTo(module.getOrganization().getName());
			}));
	}

	@Test
	void nothingIsLeftThatAReleaseWouldHaveToFillIn() {
		assertThat(PUBLISHED).allSatisfy((module) -> {
			assertThat(List.of(module.getName(), module.getDescription(), module.getUrl(), module.getScm().getUrl()))
				.noneMatch((text) -> text.contains("${"));
			assertThat(module.getDependencies()).extracting(Dependency::getVersion)
				.doesNotContainNull()
				.noneMatch((version) -> version.contains("${"));
		});
	}

	@Test
	void nothingDependsOnASnapshotOfAnotherProject() {
		assertThat(PUBLISHED).allSatisfy((module) -> {
			assertThat(foreign(module.getDependencies())).noneMatch(PublishedModulesTests::isSnapshot);
			assertThat(foreign(module.getDependencyManagement().getDependencies()))
				.noneMatch(PublishedModulesTests::isSnapshot);
			assertThat(module.getRepositories()).extracting(Repository::getId).containsExactly("central");
		});
	}

	@Test
	void nothingDependsOnAModuleThatIsNotPublished() {
		List<String> published = PUBLISHED.stream().map(Model::getArtifactId).toList();
		assertThat(PUBLISHED).allSatisfy((module) -> assertThat(module.getDependencies())
			.filteredOn((dependency) -> dependency.getGroupId().equals(GROUP))
			.filteredOn((dependency) -> !"test".equals(dependency.getScope()))
			.extracting(Dependency::getArtifactId)
			.isSubsetOf(published));
	}

	@Test
	void sourcesJavadocAndAListOfWhatIsInsideComeWithEveryJar() {
		assertThat(LIBRARIES).allSatisfy((module) -> {
			assertThat(goals(module, "maven-source-plugin")).contains("jar-no-fork");
			assertThat(goals(module, "maven-javadoc-plugin")).contains("jar");
			assertThat(goals(module, "cyclonedx-maven-plugin")).contains("makeBom");
		});
	}

	@Test
	void sourcesComeWithEveryJarOfEveryBuild() {
		assertThat(MODULES.keySet()).allSatisfy((name) -> {
			Model module = effective(Path.of("..", name, "pom.xml"), List.of());
			assertThat(plugin(module, "maven-source-plugin").getExecutions()).singleElement().satisfies((execution) -> {
				assertThat(execution.getGoals()).containsExactly("jar-no-fork");
				assertThat(execution.getConfiguration().toString())
					.contains("<skipSource>" + !PUBLISHED.contains(MODULES.get(name)) + "</skipSource>");
			});
		});
	}

	@Test
	void jarWithoutClassesHasAJavadocJarOfItsOwn() {
		assertThat(LIBRARIES)
			.filteredOn((module) -> !new File(module.getProjectDirectory(), "src/main/java").isDirectory())
			.isNotEmpty()
			.allSatisfy((module) -> assertThat(plugin(module, "maven-jar-plugin").getExecutions())
				.extracting((execution) -> String.valueOf(execution.getConfiguration()))
				.anyMatch((configuration) -> configuration.contains("<classifier>javadoc</classifier>")));
	}

	@Test
	void everyJarHoldsTheLicenseAndTheNotice() {
		assertThat(LIBRARIES).allSatisfy((module) -> assertThat(module.getBuild().getResources())
			.filteredOn((resource) -> "META-INF".equals(resource.getTargetPath()))
			.filteredOn((resource) -> new File(resource.getDirectory(), "LICENSE").isFile())
			.filteredOn((resource) -> new File(resource.getDirectory(), "NOTICE").isFile())
			.singleElement()
			.satisfies((resource) -> assertThat(resource.getIncludes()).containsExactly("LICENSE", "NOTICE")));
	}

	@Test
	void everythingIsSignedAndSentToMavenCentral() {
		assertThat(PUBLISHED).allSatisfy((module) -> {
			assertThat(goals(module, "maven-gpg-plugin")).containsExactly("sign");
			assertThat(goals(module, "flatten-maven-plugin")).contains("flatten");
			assertThat(plugin(module, "central-publishing-maven-plugin").isExtensions()).isTrue();
		});
	}

	@Test
	void whatIsNotPublishedIsSkippedByTheUpload() {
		assertThat(MODULES.values()).allSatisfy(
				(module) -> assertThat(plugin(module, "central-publishing-maven-plugin").getConfiguration().toString())
					.contains("<skipPublishing>" + !PUBLISHED.contains(module) + "</skipPublishing>"));
	}

	@Test
	void releaseWithoutAForgeOrWithASnapshotIsRefused() {
		assertThat(PUBLISHED)
			.allSatisfy((module) -> assertThat(plugin(module, "maven-enforcer-plugin").getExecutions()).singleElement()
				.extracting((execution) -> execution.getConfiguration().toString())
				.asString()
				.contains("<property>forge.url</property>", "<requireReleaseVersion", "<requireReleaseDeps"));
	}

	@Test
	void bomListsEveryPublishedJarInItsOwnVersion() {
		Model bom = effective(Path.of("..", "jobs-bom", "pom.xml"));
		assertThat(bom.getDependencyManagement().getDependencies())
			.filteredOn((dependency) -> dependency.getGroupId().equals(GROUP))
			.allMatch((dependency) -> dependency.getVersion().equals(ROOT.getVersion()))
			.extracting(Dependency::getArtifactId)
			.containsExactlyInAnyOrderElementsOf(LIBRARIES.stream().map(Model::getArtifactId).toList());
	}

	private static List<Dependency> foreign(List<Dependency> dependencies) {
		return dependencies.stream().filter((dependency) -> !dependency.getGroupId().equals(GROUP)).toList();
	}

	private static boolean isSnapshot(Dependency dependency) {
		return dependency.getVersion().endsWith("-SNAPSHOT");
	}

	private static List<String> goals(Model module, String plugin) {
		return plugin(module, plugin).getExecutions()
			.stream()
			.map(PluginExecution::getGoals)
			.flatMap(List::stream)
			.distinct()
			.toList();
	}

	private static Plugin plugin(Model module, String name) {
		return module.getBuild()
			.getPlugins()
			.stream()
			.filter((plugin) -> plugin.getArtifactId().equals(name))
			.findAny()
			.orElseThrow(() -> new AssertionError(module.getArtifactId() + " has no " + name));
	}

	private static Map<String, Model> modules() {
		return ROOT.getModules()
			.stream()
			.collect(Collectors.toMap((name) -> name, (name) -> effective(Path.of("..", name, "pom.xml")),
					(first, second) -> first, TreeMap::new));
	}

	/**
	 * Return the model that Maven builds with in a release: with all that is inherited,
	 * and with every property replaced.
	 */
	private static Model effective(Path pom) {
		return effective(pom, List.of("release"));
	}

	private static Model effective(Path pom, List<String> profiles) {
		Properties properties = new Properties();
		properties.setProperty("forge.url", FORGE);
		DefaultModelBuildingRequest request = new DefaultModelBuildingRequest();
		request.setPomFile(pom.toAbsolutePath().normalize().toFile());
		request.setProcessPlugins(true);
		request.setValidationLevel(ModelBuildingRequest.VALIDATION_LEVEL_STRICT);
		request.setActiveProfileIds(profiles);
		request.setSystemProperties(System.getProperties());
		request.setUserProperties(properties);
		request.setModelResolver(new LocalResolver());
		try {
			return new DefaultModelBuilderFactory().newInstance().build(request).getEffectiveModel();
		}
		catch (ModelBuildingException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Finds POMs in the checkout and in the repository that the build has its libraries
	 * from.
	 */
	private static final class LocalResolver implements ModelResolver {

		private static final Path REPOSITORY = repository();

		/**
		 * Return the repository, which is six levels above any jar in it.
		 */
		private static Path repository() {
			try {
				Path jar = Path.of(ModelBuilder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
				return jar.resolve("../../../../../..").normalize();
			}
			catch (URISyntaxException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public ModelSource resolveModel(String groupId, String artifactId, String version) {
			if (groupId.equals(GROUP)) {
				return new FileModelSource(Path.of("..", artifactId, "pom.xml").toFile());
			}
			return new FileModelSource(REPOSITORY.resolve(groupId.replace('.', '/'))
				.resolve(artifactId)
				.resolve(version)
				.resolve(artifactId + "-" + version + ".pom")
				.toFile());
		}

		@Override
		public ModelSource resolveModel(Parent parent) {
			return resolveModel(parent.getGroupId(), parent.getArtifactId(), parent.getVersion());
		}

		@Override
		public ModelSource resolveModel(Dependency dependency) {
			return resolveModel(dependency.getGroupId(), dependency.getArtifactId(), dependency.getVersion());
		}

		@Override
		public void addRepository(Repository repository) {
		}

		@Override
		public void addRepository(Repository repository, boolean replace) {
		}

		@Override
		public ModelResolver newCopy() {
			return this;
		}

	}

}
