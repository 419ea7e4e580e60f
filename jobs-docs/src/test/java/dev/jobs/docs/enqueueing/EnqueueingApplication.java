package dev.jobs.docs.enqueueing;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class EnqueueingApplication {

}
