package dev.jobs.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import dev.jobs.test.SettableClock;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Beside {@code @SpringBootTest} or a slice such as {@code @WebMvcTest}, this lets a test
 * control the application's jobs: {@link TestJobs} runs them, {@link SettableClock} is
 * their clock, and both can be injected. Jobs are kept in memory, without an outbox, and
 * no worker is started.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SpringExtension.class)
@Import(JobsTestConfiguration.class)
@ImportAutoConfiguration
@TestPropertySource(properties = { "jobs.store=memory", "jobs.worker.enabled=false", "jobs.outbox.enabled=false" })
public @interface JobsTest {

}
