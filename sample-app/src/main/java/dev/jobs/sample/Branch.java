package dev.jobs.sample;

import java.util.List;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.Enqueued;
import dev.jobs.JobContext;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.RunInterceptor;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Lets the branch of the shop that has enqueued a job travel with it, and puts it into
 * the log context of each run.
 */
@Component
class Branch implements EnqueueInterceptor, RunInterceptor {

	private static final String KEY = "branch";

	private final String name;

	Branch(@Value("${sample.branch:main street}") String name) {
		this.name = name;
	}

	@Override
	public List<Enqueued> around(List<JobRequest> requests, EnqueueInterceptor.Next next) {
		return next.proceed(requests.stream().map((request) -> request.header(KEY, this.name)).toList());
	}

	@Override
	public JobResult around(JobContext context, RunInterceptor.Next next) throws Exception {
		try (MDC.MDCCloseable closeable = MDC.putCloseable(KEY, context.headers().get(KEY))) {
			return next.proceed();
		}
	}

}
