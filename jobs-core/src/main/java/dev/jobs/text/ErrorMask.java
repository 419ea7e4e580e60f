package dev.jobs.text;

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

	/** The shortest hexadecimal word, with a number in it, that is masked. */
	private static final int SHORTEST_HEX = 8;

	private static final int SHORTEST_HEX_OF_LETTERS = 24;

	/** A word in which letters and numbers alternate so often is an id. */
	private static final int SHORTEST_ID = 10;

	private static final int FEWEST_CHANGES = 3;

	private static final int UUID_LENGTH = 36;

	private final String text;

	private final StringBuilder masked = new StringBuilder();

	/** The quotation marks that have no closing mark any more. */
	private final boolean[] unclosed = new boolean[OPENING.length()];

	private int at;

	private ErrorMask(String text) {
		this.text = text;
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
		this.at = endOfType();
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

	/**
	 * Return the end of the exception name at the beginning of the error.
	 */
	private int endOfType() {
		int end = 0;
		while (end < this.text.length()
				&& (Character.isJavaIdentifierPart(this.text.charAt(end)) || this.text.charAt(end) == '.')) {
			end++;
		}
		String type = this.text.substring(0, end);
		boolean ends = end == this.text.length() || this.text.charAt(end) == ':';
		return (ends && (type.endsWith("Exception") || type.endsWith("Error") || isQualified(type))) ? end : 0;
	}

	private static boolean isQualified(String type) {
		return type.indexOf('.') > 0 && !Character.isDigit(type.charAt(0)) && !type.endsWith(".");
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
		if (sign > 0 && isHex(word, sign + 1)) {
			this.masked.append(word, 0, sign + 1);
			put(ID);
		}
		else if (sign > 0 && word.indexOf('.', sign) > 0) {
			put(ADDRESS);
		}
		else if (word.chars().noneMatch(Character::isDigit)) {
			if (word.length() >= SHORTEST_HEX_OF_LETTERS && isHex(word, 0)) {
				put(ID);
			}
			else {
				this.masked.append(word);
			}
		}
		else if (isNumber(word)) {
			put(NUMBER);
		}
		else if (isId(word)) {
			put(ID);
		}
		else {
			partly(word);
		}
	}

	/**
	 * Return whether a word is a number, an address of numbers, or a date and time.
	 */
	private static boolean isNumber(String word) {
		return Character.isDigit(word.charAt(0))
				&& word.chars().allMatch((c) -> Character.isDigit(c) || isOneOf((char) c, ".,:-_+TZ"));
	}

	private static boolean isId(String word) {
		boolean uuid = word.length() == UUID_LENGTH && word.charAt(8) == '-' && word.charAt(13) == '-'
				&& word.chars().allMatch((c) -> c == '-' || Character.digit(c, 16) >= 0);
		boolean prefixed = word.length() > 2 && (word.startsWith("0x") || word.startsWith("0X")) && isHex(word, 2);
		return uuid || prefixed || (word.length() >= SHORTEST_HEX && isHex(word, 0))
				|| (word.length() >= SHORTEST_ID && changes(word) >= FEWEST_CHANGES);
	}

	private static boolean isHex(String word, int from) {
		return from < word.length() && word.chars().skip(from).allMatch((c) -> Character.digit(c, 16) >= 0);
	}

	/**
	 * Return how often a letter follows a number or a number a letter.
	 */
	private static int changes(String word) {
		int changes = 0;
		for (int i = 1; i < word.length(); i++) {
			char before = word.charAt(i - 1);
			char c = word.charAt(i);
			if ((Character.isDigit(before) && Character.isLetter(c))
					|| (Character.isLetter(before) && Character.isDigit(c))) {
				changes++;
			}
		}
		return changes;
	}

	/**
	 * Mask the numbers in a word, such as {@code order-17} or {@code 500ms}.
	 */
	private void partly(String word) {
		int i = 0;
		while (i < word.length()) {
			int start = i;
			while (i < word.length() && (Character.isDigit(word.charAt(i))
					|| (i > start && isOneOf(word.charAt(i), ".,:") && isDigitOf(word, i + 1)))) {
				i++;
			}
			if (i > start) {
				put(NUMBER);
			}
			else {
				this.masked.append(word.charAt(i++));
			}
		}
	}

	private static boolean isDigitOf(String word, int place) {
		return place < word.length() && Character.isDigit(word.charAt(place));
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
