package dev.jobs.autoconfigure.properties;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * Finds the word that a misspelt one probably means.
 */
final class Spelling {

	private Spelling() {
	}

	/**
	 * Return the known word that is most like another.
	 * @param word the word
	 * @param known the known words
	 * @return one of these, or {@code null} if none resembles it
	 */
	static @Nullable String closest(String word, Collection<String> known) {
		String closest = null;
		int least = Math.max(1, (word.length() + 1) / 3) + 1;
		for (String other : known) {
			int distance = distance(word, other);
			if (distance < least) {
				closest = other;
				least = distance;
			}
		}
		return closest;
	}

	/**
	 * Count the letters that must be added, removed, changed or swapped with their
	 * neighbours to turn one word into another.
	 */
	static int distance(String one, String other) {
		int[][] steps = new int[one.length() + 1][other.length() + 1];
		for (int i = 0; i <= one.length(); i++) {
			for (int j = 0; j <= other.length(); j++) {
				if (i == 0 || j == 0) {
					steps[i][j] = i + j;
					continue;
				}
				boolean same = one.charAt(i - 1) == other.charAt(j - 1);
				steps[i][j] = Math.min(Math.min(steps[i - 1][j], steps[i][j - 1]) + 1,
						steps[i - 1][j - 1] + (same ? 0 : 1));
				if (i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2)
						&& one.charAt(i - 2) == other.charAt(j - 1)) {
					steps[i][j] = Math.min(steps[i][j], steps[i - 2][j - 2] + 1);
				}
			}
		}
		return steps[one.length()][other.length()];
	}

}
