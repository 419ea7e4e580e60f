package dev.jobs.docs.steps;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.ComponentScan;

/**
 * What docs/steps.md shows.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@ComponentScan
class StepsApplication {

}
