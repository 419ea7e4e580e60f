package dev.jobs.autoconfigure.actuate;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for the Actuator endpoint.
 *
 * @param showValues When to show payloads and headers of jobs.
 * @param roles Roles that may see payloads and headers if they are shown when authorized;
 * any role if empty.
 */
@ConfigurationProperties("management.endpoint.jobs")
public record JobsEndpointProperties(@DefaultValue("never") Show showValues, @DefaultValue Set<String> roles) {

}
