package dev.jobs.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Masks the parts of an error that differ from job to job: numbers, ids, URLs, addresses
 * and quoted text. The type of the exception stays. Reads each character of an error a
 * bounded number of times, whatever it contains.
 */
final class ErrorMask {

	private static final String NUMBER = "<number>";

	private static final String ID = "<id>";

	private static final String URL = "<url>";

	private static final String ADDRESS = "<address>";

	private static final String OPENING = "\"'`\u201c\u2018\u00ab";

	private static final String CLOSING = "\"'`\u201d\u2019\u00bb";

	private static final char CUT = '\u2026';

	/** The name of an exception, with its package or by how it ends. */
	private static final Pattern TYPE = pattern(
			"([\\w$.]++(?<=Exception|Error)|(?!\\d)(?=[\\w$]++\\.)[\\w$.]++(?<!\\.))(?=:|\\z)");

	/** A number, an address of numbers, or a date and time. */
	private static final Pattern WHOLE_NUMBER = pattern("\\d[\\d.,:\\-_+TZ]*");

	private static final Pattern PART_NUMBER = pattern("\\d[\\d.,:]*(?<=\\d)");

	private static final Pattern HEX = pattern("\\p{XDigit}+");

	/** A UUID, or a hexadecimal word that is long enough if it has a number in it. */
	private static final Pattern HEX_ID = pattern(
			"\\p{XDigit}{8}-\\p{XDigit}{4}-[\\p{XDigit}-]{22}|0[xX]\\p{XDigit}+|\\p{XDigit}{8,}");

	private static final int SHORTEST_HEX_OF_LETTERS = 24;

	/** A word in which letters and numbers alternate so often is an id. */
	private static final int SHORTEST_ID = 10;

	private static final int FEWEST_CHANGES = 3;

	private static final Pattern CHANGE = pattern("(?<=\\p{L})(?=\\d)|(?<=\\d)(?=\\p{L})");

	private final String text;

	private final StringBuilder masked = new StringBuilder();

	/** The quotation marks that have no closing mark any more. */
	private final boolean[] unclosed = new boolean[OPENING.length()];

	private int at;

	private ErrorMask(String text) {
		this.text = text;
	}

	private static Pattern pattern(String regex) {
		return Pattern.compile(regex, Pattern.UNICODE_CHARACTER_CLASS);
	}

	/**
	 * Mask an error.
	 * @param error the error, in one line
	 * @return the error with a placeholder for each masked part
	 */
	static String of(String error) {
		ErrorMask mask = new ErrorMask(error);
		mask.read();
		return mask.masked.toString().strip();
	}

	private void read() {
		Matcher type = TYPE.matcher(this.text);
		this.at = type.lookingAt() ? type.end() : 0;
		this.masked.append(this.text, 0, this.at);
		while (this.at < this.text.length()) {
			char c = this.text.charAt(this.at);
			if (isOfWord(this.at)) {
				word();
			}
			else if (!quoted(OPENING.indexOf(c))) {
				other(c);
			}
		}
	}

	/** Any white space is one space, so that a wrapped line is the same. */
	private void other(char c) {
		this.at++;
		if (!Character.isWhitespace(c)) {
			this.masked.append(c);
		}
		else if (!this.masked.isEmpty() && this.masked.charAt(this.masked.length() - 1) != ' ') {
			this.masked.append(' ');
		}
	}

	/**
	 * Mask the quoted text that begins here, if there is one.
	 */
	private boolean quoted(int kind) {
		if (kind < 0 || (this.at > 0 && Character.isLetterOrDigit(this.text.charAt(this.at - 1)))) {
			return false;
		}
		int close = this.unclosed[kind] ? -1 : closeOf(CLOSING.charAt(kind));
		if (close < 0) {
			this.unclosed[kind] = true;
			if (this.text.charAt(this.text.length() - 1) != CUT) {
				return false;
			}
			this.masked.append(OPENING.charAt(kind)).append(CUT);
			this.at = this.text.length();
			return true;
		}
		this.masked.append(OPENING.charAt(kind)).append(CUT).append(CLOSING.charAt(kind));
		this.at = close + 1;
		return true;
	}

	private int closeOf(char mark) {
		int close = this.text.indexOf(mark, this.at + 1);
		while (close >= 0 && close + 1 < this.text.length() && Character.isLetterOrDigit(this.text.charAt(close + 1))) {
			close = this.text.indexOf(mark, close + 1);
		}
		return close;
	}

	/**
	 * Return whether the character at a place belongs to a word: it is a letter, a
	 * number, a joiner, or punctuation between numbers or letters.
	 */
	private boolean isOfWord(int place) {
		char c = this.text.charAt(place);
		return switch (c) {
			case '_', '-', '.', '@', '+', '$' -> true;
			case ',', ':' -> isDigit(place - 1) && isDigit(place + 1);
			case '\'', '\u2019' -> isLetter(place - 1) && isLetter(place + 1);
			default -> Character.isLetterOrDigit(c) || Character.isSurrogate(c);
		};
	}

	private boolean isDigit(int place) {
		return place >= 0 && place < this.text.length() && Character.isDigit(this.text.charAt(place));
	}

	private boolean isLetter(int place) {
		return place >= 0 && place < this.text.length() && Character.isLetter(this.text.charAt(place));
	}

	private void word() {
		int start = this.at;
		while (this.at < this.text.length() && isOfWord(this.at)) {
			this.at++;
		}
		if (this.text.startsWith("://", this.at)) {
			url();
			return;
		}
		int begin = start;
		int end = this.at;
		while (end > begin && !isCore(end - 1)) {
			end--;
		}
		while (begin < end && !isCore(begin)) {
			begin++;
		}
		boolean signed = begin == start + 1 && isDigit(begin) && isOneOf(this.text.charAt(start), "+-");
		this.masked.append(this.text, start, signed ? start : begin);
		core(this.text.substring(begin, end));
		this.masked.append(this.text, end, this.at);
	}

	private boolean isCore(int place) {
		return !isOneOf(this.text.charAt(place), "_-.@+$");
	}

	private static boolean isOneOf(char c, String some) {
		return some.indexOf(c) >= 0;
	}

	private void url() {
		while (this.at < this.text.length() && !Character.isWhitespace(this.text.charAt(this.at))
				&& !isOneOf(this.text.charAt(this.at), "\"'`<>)]}\u201d\u2019\u00bb")) {
			this.at++;
		}
		put(URL);
	}

	private void core(String word) {
		int sign = word.indexOf('@');
		if (sign > 0 && HEX.matcher(word.substring(sign + 1)).matches()) {
			this.masked.append(word, 0, sign + 1);
			put(ID);
		}
		else if (sign > 0 && word.indexOf('.', sign) > 0) {
			put(ADDRESS);
		}
		else if (word.chars().noneMatch(Character::isDigit)) {
			if (word.length() >= SHORTEST_HEX_OF_LETTERS && HEX.matcher(word).matches()) {
				put(ID);
			}
			else {
				this.masked.append(word);
			}
		}
		else if (WHOLE_NUMBER.matcher(word).matches()) {
			put(NUMBER);
		}
		else if (isId(word)) {
			put(ID);
		}
		else {
			partly(word);
		}
	}

	private static boolean isId(String word) {
		return HEX_ID.matcher(word).matches() || (word.length() >= SHORTEST_ID
				&& CHANGE.matcher(word).results().limit(FEWEST_CHANGES).count() == FEWEST_CHANGES);
	}

	/**
	 * Mask the numbers in a word, such as {@code order-17} or {@code 500ms}.
	 */
	private void partly(String word) {
		Matcher number = PART_NUMBER.matcher(word);
		int end = 0;
		while (number.find()) {
			this.masked.append(word, end, number.start());
			put(NUMBER);
			end = number.end();
		}
		this.masked.append(word, end, word.length());
	}

	/**
	 * Add a placeholder. A list gets only one, since lists of one kind differ in length.
	 */
	private void put(String placeholder) {
		for (String between : new String[] { ", ", ",", " " }) {
			if (endsWith(placeholder, between)) {
				this.masked.setLength(this.masked.length() - between.length());
				return;
			}
		}
		this.masked.append(placeholder);
	}

	private boolean endsWith(String placeholder, String between) {
		int from = this.masked.length() - placeholder.length() - between.length();
		return from >= 0 && this.masked.indexOf(placeholder + between, from) == from;
	}

}
