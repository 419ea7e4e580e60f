package dev.jobs.store.jdbc.signal;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Writes signals in lines, the first of which names the sender. A text is no longer than
 * a notification of PostgreSQL may be.
 */
public final class SignalTexts {

	private static final int LONGEST = 7500;

	private SignalTexts() {
	}

	public static List<String> written(String sender, Collection<Signal> signals) {
		List<String> texts = new ArrayList<>();
		StringBuilder text = new StringBuilder(sender);
		int length = sender.length();
		for (Signal signal : signals) {
			String line = "\n" + signal.text();
			int added = line.getBytes(StandardCharsets.UTF_8).length;
			if (length + added > LONGEST) {
				texts.add(text.toString());
				text = new StringBuilder(sender);
				length = sender.length();
			}
			text.append(line);
			length += added;
		}
		texts.add(text.toString());
		return texts;
	}

	/**
	 * Read the signals of another sender. A line that is not a signal may come from a
	 * later version.
	 */
	public static List<Signal> read(String sender, String text) {
		String[] lines = text.split("\n");
		if (lines[0].equals(sender)) {
			return List.of();
		}
		return List.of(lines).subList(1, lines.length).stream().map(Signal::read).flatMap(Optional::stream).toList();
	}

}
