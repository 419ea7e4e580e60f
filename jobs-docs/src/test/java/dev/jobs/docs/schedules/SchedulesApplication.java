package dev.jobs.docs.schedules;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class SchedulesApplication {

}
