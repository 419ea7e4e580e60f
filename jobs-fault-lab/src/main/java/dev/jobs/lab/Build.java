package dev.jobs.lab;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Which build of Jobs is tested.
 */
final class Build {

	private Build() {
	}

	/**
	 * Return the commit of the working tree that the lab lies in, or its version if it
	 * lies in none.
	 */
	static String name() {
		try {
			Path place = Path.of(Build.class.getProtectionDomain().getCodeSource().getLocation().toURI());
			Process git = new ProcessBuilder("git", "describe", "--always", "--dirty").redirectErrorStream(true)
				.directory(Objects.requireNonNull(place.getParent()).toFile())
				.start();
			String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
			if (git.waitFor(10, TimeUnit.SECONDS) && git.exitValue() == 0) {
				return "at commit " + commit;
			}
		}
		catch (IOException | URISyntaxException ex) {
			// The version does as well.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		String version = Build.class.getPackage().getImplementationVersion();
		return (version != null) ? version : "of an unknown version";
	}

}
