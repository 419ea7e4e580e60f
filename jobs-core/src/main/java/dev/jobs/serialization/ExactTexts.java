package dev.jobs.serialization;

import java.io.File;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

import dev.jobs.Job;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Writes as text the values that Jackson would read back as something else: relative
 * paths and files, locales as keys. Refuses what a text cannot express: the flags of a
 * pattern, and a relative path with a colon.
 */
final class ExactTexts {

	private ExactTexts() {
	}

	static SimpleModule addedTo(SimpleModule module) {
		return module
			.addSerializer(Path.class,
					new Text<>(Path.class, ExactTexts::text,
							"a relative path with a colon would be read back as an absolute one: use toAbsolutePath()"))
			.addSerializer(File.class, new Text<>(File.class, File::getPath, ""))
			.addSerializer(Pattern.class, new Text<>(Pattern.class, ExactTexts::text,
					"its flags would be lost: write them into the pattern, for example (?i) for CASE_INSENSITIVE"))
			.addSerializer(Job.class,
					new Text<>(Job.class, (job) -> null,
							"a job would not be read back: pass its id() and find it by that"))
			.addKeySerializer(Locale.class, new Key());
	}

	private static @Nullable String text(Path path) {
		if (path.isAbsolute()) {
			return path.toUri().toString();
		}
		return (path.toString().indexOf(':') < 0) ? path.toString() : null;
	}

	private static @Nullable String text(Pattern pattern) {
		return (Pattern.compile(pattern.pattern()).flags() == pattern.flags()) ? pattern.pattern() : null;
	}

	private interface Form<T> {

		/**
		 * Return the text, or {@code null} if a text cannot express the value.
		 */
		@Nullable String of(T value);

	}

	private static final class Text<T> extends StdSerializer<T> {

		private final Form<T> form;

		private final String otherwise;

		Text(Class<T> type, Form<T> form, String otherwise) {
			super(type);
			this.form = form;
			this.otherwise = otherwise;
		}

		@Override
		public void serialize(T value, JsonGenerator generator, SerializationContext context) {
			String text = this.form.of(value);
			if (text == null) {
				context.reportBadDefinition(handledType(), this.otherwise);
			}
			generator.writeString(text);
		}

	}

	private static final class Key extends StdSerializer<Locale> {

		Key() {
			super(Locale.class);
		}

		@Override
		public void serialize(Locale locale, JsonGenerator generator, SerializationContext context) {
			generator.writeName(locale.equals(Locale.ROOT) ? "" : locale.toLanguageTag());
		}

	}

}
