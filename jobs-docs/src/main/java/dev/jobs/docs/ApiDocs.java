package dev.jobs.docs;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import javax.tools.DocumentationTool;
import javax.tools.ToolProvider;

/**
 * The Javadoc: first of what applications, and authors of stores, use.
 */
final class ApiDocs {

	private static final List<String> MODULES = List.of("jobs-core", "jobs-redis", "jobs-jdbc",
			"jobs-spring-boot-autoconfigure", "jobs-test", "jobs-store-contract");

	private static final List<String> APPLICATIONS = List.of("dev.jobs", "dev.jobs.cron", "dev.jobs.serialization",
			"dev.jobs.autoconfigure", "dev.jobs.autoconfigure.handler", "dev.jobs.autoconfigure.jdbc",
			"dev.jobs.autoconfigure.redis", "dev.jobs.autoconfigure.transaction", "dev.jobs.audit", "dev.jobs.metrics");

	private static final List<String> TESTS = List.of("dev.jobs.test", "dev.jobs.test.spring");

	private static final List<String> STORES = List.of("dev.jobs.store", "dev.jobs.store.contract",
			"dev.jobs.store.memory", "dev.jobs.store.redis", "dev.jobs.store.jdbc", "dev.jobs.engine",
			"dev.jobs.engine.settings");

	private ApiDocs() {
	}

	static void write(Path root, Path target, String title) {
		List<String> arguments = new ArrayList<>(List.of("-d", target.toString(), "-quiet", "-Xdoclint:none",
				"--release", "17", "-encoding", "UTF-8", "-windowtitle", title, "-doctitle", title, "-notimestamp",
				"-sourcepath", sources(root), "-classpath", System.getProperty("java.class.path")));
		arguments.addAll(group("Applications", APPLICATIONS));
		arguments.addAll(group("Tests", TESTS));
		arguments.addAll(group("Stores and the engine", STORES));
		arguments.addAll(List.of("-group", "Inside", "dev.jobs*", "-subpackages", "dev.jobs"));
		DocumentationTool javadoc = ToolProvider.getSystemDocumentationTool();
		if (javadoc.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
			throw new IllegalStateException("The Javadoc could not be written");
		}
	}

	private static List<String> group(String name, List<String> packages) {
		return List.of("-group", name, String.join(":", packages));
	}

	private static String sources(Path root) {
		return MODULES.stream()
			.map((module) -> root.resolve(module).resolve("src/main/java"))
			.filter(Files::isDirectory)
			.map(Path::toString)
			.collect(Collectors.joining(File.pathSeparator));
	}

}
