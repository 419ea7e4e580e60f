package dev.jobs.docs.signals;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.ComponentScan;

/**
 * What docs/signals.md shows.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@ComponentScan
class SignalsApplication {

}
