package dev.jobs.docs.start;

import dev.jobs.JobType;

@JobType("send-welcome")
record Welcome(String to) {

}
