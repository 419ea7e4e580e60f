package dev.jobs.docs.results;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.ComponentScan;

/**
 * What docs/results.md shows.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@ComponentScan
class ResultsApplication {

}
