package dev.jobs.docs.payloads;

import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.serialization.PayloadFormat;
import dev.jobs.serialization.PayloadSerializer;
import tools.jackson.databind.PropertyNamingStrategies;

import org.springframework.context.annotation.Bean;

/**
 * Another format of payloads, which the application beside it does not use.
 */
class OtherFormat {

	@Bean
	PayloadSerializer payloadSerializer() {
		return new JacksonPayloadSerializer(PayloadFormat.builder()
			.findAndAddModules()
			.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
			.build());
	}

}
