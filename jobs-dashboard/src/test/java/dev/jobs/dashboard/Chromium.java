package dev.jobs.dashboard;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * A real browser. The environment variable {@code JOBS_TEST_CHROMIUM} says where it is;
 * its driver is beside it.
 */
final class Chromium implements AutoCloseable {

	private final ChromeDriver driver;

	private Chromium(ChromeDriver driver) {
		this.driver = driver;
	}

	static Chromium start() {
		File browser = new File(Objects.requireNonNull(System.getenv("JOBS_TEST_CHROMIUM"), "JOBS_TEST_CHROMIUM"));
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(browser);
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
		options.setCapability("goog:loggingPrefs", logs);
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(new File(browser.getParentFile(), "chromedriver"))
			.usingAnyFreePort()
			.build();
		return new Chromium(new ChromeDriver(service, options));
	}

	void size(int width, int height) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
	}

	void offline(boolean offline) {
		this.driver.executeCdpCommand("Network.enable", Map.of());
		this.driver.executeCdpCommand("Network.emulateNetworkConditions",
				Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
	}

	/** Lets no request to some addresses out, or all again. */
	void block(String... addresses) {
		this.driver.executeCdpCommand("Network.enable", Map.of());
		this.driver.executeCdpCommand("Network.setBlockedURLs", Map.of("urls", List.of(addresses)));
	}

	/** Lets the browser be in a time zone, or in its own again. */
	void zone(String zone) {
		this.driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", zone));
	}

	/** Lets the browser speak a language, or its own again. */
	void language(String language) {
		this.driver.executeCdpCommand("Emulation.setLocaleOverride", Map.of("locale", language));
	}

	/** Lets the reader prefer a light or a dark theme. */
	void prefer(String theme) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
	}

	/** Opens a page again, also if only the part behind the hash is another. */
	void open(Object address) {
		this.driver.get("about:blank");
		this.driver.get(address.toString());
	}

	Object script(String script, Object... arguments) {
		return ((JavascriptExecutor) this.driver).executeScript(script, arguments);
	}

	String text(String css) {
		return this.driver.findElement(By.cssSelector(css)).getText();
	}

	boolean has(String css) {
		return !this.driver.findElements(By.cssSelector(css)).isEmpty();
	}

	void awaitText(String css, String... parts) {
		try {
			until(() -> Stream.of(parts).allMatch(text(css)::contains), "'%s' to contain %s", css, List.of(parts));
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("'%s' should contain %s, but is: %s".formatted(css, List.of(parts), text(css)),
					ex);
		}
	}

	/**
	 * Wait for a text in a part of the page that is opened if it is closed.
	 */
	void awaitTextWithin(String css, String... parts) {
		until(() -> {
			script("document.querySelector(arguments[0]).open = true", css);
			return Stream.of(parts).allMatch(text(css)::contains);
		}, "'%s' to contain %s", css, List.of(parts));
	}

	void awaitGone(String css) {
		until(() -> !has(css), "'%s' to be gone", css);
	}

	void click(String css) {
		until(() -> {
			this.driver.findElement(By.cssSelector(css)).click();
			return true;
		}, "a click on '%s'", css);
	}

	/** Says yes to the question that an act asks, and returns the question. */
	String confirm() {
		awaitText("dialog[open] h2", "?");
		String question = text("dialog[open] h2");
		click("#dialog-yes");
		awaitGone("dialog");
		return question;
	}

	void type(String css, String text) {
		WebElement field = this.driver.findElement(By.cssSelector(css));
		field.clear();
		field.sendKeys(text, Keys.ENTER);
	}

	/** Writes into a field what replaces its text. */
	void fill(String css, String text) {
		awaitText(css, "");
		WebElement field = this.driver.findElement(By.cssSelector(css));
		field.clear();
		field.sendKeys(text);
	}

	/** Returns what axe finds wrong, as the rule and the elements. */
	List<?> axe() throws IOException {
		if (script("return typeof axe").equals("undefined")) {
			try (InputStream stream = Chromium.class.getResourceAsStream("/axe.min.js")) {
				script(new String(Objects.requireNonNull(stream, "axe.min.js").readAllBytes(), StandardCharsets.UTF_8));
			}
		}
		return (List<?>) this.driver.executeAsyncScript(
				"""
						const done = arguments[0];
						axe.run().then((found) => done(found.violations.map((it) => it.id + ': ' + it.nodes.map((node) => node.html).join(', '))),
							(error) => done([String(error)]));""");
	}

	void keys(CharSequence... keys) {
		new Actions(this.driver).sendKeys(keys).perform();
	}

	/** Presses a key while another is held. */
	void chord(Keys held, String key) {
		new Actions(this.driver).keyDown(held).sendKeys(key).keyUp(held).perform();
	}

	private void until(Condition condition, String what, Object... arguments) {
		Awaitility.await(what.formatted(arguments))
			.atMost(Duration.ofSeconds(90))
			.pollInterval(Duration.ofMillis(50))
			.ignoreException(WebDriverException.class)
			.ignoreExceptionsInstanceOf(WebDriverException.class)
			.until(condition::isMet);
	}

	List<String> complaints() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue())
			.map(LogEntry::getMessage)
			.toList();
	}

	@Override
	public void close() {
		this.driver.quit();
	}

	private interface Condition {

		boolean isMet();

	}

}
