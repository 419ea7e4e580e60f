package dev.jobs.serialization;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.jdk.NumberDeserializers.NumberDeserializer;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ValueNode;

/**
 * Reads a decimal number of open type as a double if that is exact, and otherwise as a
 * big decimal.
 */
final class ExactNumbers extends StdScalarDeserializer<Number> {

	ExactNumbers() {
		super(Number.class);
	}

	@Override
	public @Nullable Number deserialize(JsonParser parser, DeserializationContext context) {
		if (parser.currentToken() != JsonToken.VALUE_NUMBER_FLOAT) {
			return (Number) NumberDeserializer.instance.deserialize(parser, context);
		}
		double nearest = parser.getDoubleValue();
		if (parser.isNaN()) {
			return nearest;
		}
		BigDecimal exact = parser.getDecimalValue();
		return isExact(nearest, exact) ? (Number) nearest : exact;
	}

	private static boolean isExact(double nearest, BigDecimal exact) {
		return Double.isFinite(nearest) && BigDecimal.valueOf(nearest).compareTo(exact) == 0;
	}

	/** The same for trees. */
	static final class Nodes extends JsonNodeFactory {

		@Override
		public ValueNode numberNode(@Nullable BigDecimal value) {
			if (value != null && isExact(value.doubleValue(), value)) {
				return numberNode(value.doubleValue());
			}
			return super.numberNode(value);
		}

	}

}
