package dev.jobs.docs.limits;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class LimitsApplication {

}
