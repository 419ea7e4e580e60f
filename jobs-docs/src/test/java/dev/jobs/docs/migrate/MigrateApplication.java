package dev.jobs.docs.migrate;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class MigrateApplication {

}
