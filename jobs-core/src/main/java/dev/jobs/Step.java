package dev.jobs;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.util.Assert;

/**
 * The name of a step, and those that it had in earlier versions of the handler. Most
 * steps need only a text: {@link JobContext#step(String, Class, JobContext.Action)
 * step("charge", ...)}. <pre class="code">{@code
 * Receipt receipt = context.step(Step.named("charge").formerly("pay"), Receipt.class,
 *         () -> this.cards.charge(order, context.id()));
 * }</pre>
 *
 * @param name the name
 * @param formerNames the earlier ones
 */
public record Step(String name, List<String> formerNames) {

	/** How long a name may be. */
	public static final int LONGEST_NAME = 200;

	public Step {
		Assert.isTrue(
				!name.isBlank() && name.length() <= LONGEST_NAME && name.chars().noneMatch(Character::isISOControl),
				() -> "The name of a step must have 1 to " + LONGEST_NAME + " characters and no control characters");
		formerNames = List.copyOf(formerNames);
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

}
