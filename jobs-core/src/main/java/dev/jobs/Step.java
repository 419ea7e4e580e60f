package dev.jobs;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The name of a step, and those that it had in earlier versions of the handler. Most
 * steps need only a text: {@link JobContext#step(String, Class, JobContext.Action)
 * step("charge", ...)}. <pre class="code">{@code
 * Receipt receipt = context.step(Step.named("charge").formerly("pay"), Receipt.class,
 *         () -> this.cards.charge(order, context.id()));
 * }</pre>
 */
public final class Step extends Parts {

	/** How long a name may be. */
	public static final int LONGEST_NAME = 200;

	private final String name;

	private final List<String> formerNames;

	private Step(String name, List<String> formerNames) {
		super("Step[%s, formerly %s]");
		Assert.isTrue(
				!name.isBlank() && name.length() <= LONGEST_NAME && name.chars().noneMatch(Character::isISOControl)
						&& new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(name),
				() -> "The name of a step must have 1 to " + LONGEST_NAME
						+ " characters, no control character and no half of a character");
		this.name = name;
		this.formerNames = formerNames;
	}

	/**
	 * Return a step.
	 * @param name its name, of 1 to {@value #LONGEST_NAME} characters
	 */
	public static Step named(String name) {
		return new Step(name, List.of());
	}

	/**
	 * Return the same step with another name that it had before. What was saved under
	 * that name counts.
	 * @param name the earlier name
	 */
	public Step formerly(String name) {
		return new Step(this.name, Stream.concat(this.formerNames.stream(), Stream.of(name)).toList());
	}

	/**
	 * Return its name.
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the names that it had before.
	 */
	public List<String> formerNames() {
		return this.formerNames;
	}

	@Override
	List<@Nullable Object> parts() {
		return List.of(this.name, this.formerNames);
	}

}
