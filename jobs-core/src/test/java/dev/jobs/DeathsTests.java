package dev.jobs;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.support.TrailBuilder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Deaths}.
 */
class DeathsTests {

	private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

	private static final String STACK = """
			com.shop.DeclinedException: Order %d was declined
				at java.base/java.util.Objects.requireNonNull(Objects.java:233)
				at org.springframework.util.Assert.state(Assert.java:76)
				at com.shop.Mailer$$SpringCGLIB$$0.send(<generated>)
				at shop.jar//com.shop.%s(Mailer.java:%d)
				at dev.jobs.engine.run.JobRunner.run(JobRunner.java:99)
			Caused by: java.io.IOException: closed
				at com.shop.Http.post(Http.java:9)
			""";

	private static Job dead(String queue, String error, String stack, int secondsAgo) {
		Instant at = NOW.minusSeconds(secondsAgo);
		Trail trail = TrailBuilder.ended(
				TrailRules.failed(Trail.EMPTY, Trail.Attempt.of(1, at, error).withStackTrace(stack)),
				Trail.End.of(DeadReason.EXHAUSTED, error, at));
		return Job.builder(queue + secondsAgo, queue).state(JobState.DEAD).trail(trail).build();
	}

	private static Deaths deaths(List<Job> jobs) {
		return Deaths.of(PageRequest.newestFirst(10), (request) -> JobPage.of(jobs, null), (same) -> same);
	}

	private static Job declined(int order, String method, int line, int secondsAgo) {
		return dead((order % 2 == 0) ? "mail" : "charge",
				"com.shop.DeclinedException: Order " + order + " was declined", STACK.formatted(order, method, line),
				secondsAgo);
	}

	@Test
	void jobsThatDiedOfTheSameInTheSameMethodAreOneGroup() {
		Deaths deaths = deaths(List.of(declined(18, "Mailer.send", 40, 1), declined(17, "Mailer.send", 31, 2),
				declined(17, "Mailer.send", 31, 3), declined(17, "Clerk.write", 31, 4)));
		assertThat(deaths.causes()).hasSize(2);
		Deaths.Cause cause = deaths.causes().get(0);
		assertThat(cause.error()).isEqualTo("com.shop.DeclinedException: Order <number> was declined");
		assertThat(cause.frame()).isEqualTo("com.shop.Mailer.send");
		assertThat(cause.count()).isEqualTo(3);
		assertThat(cause.messages()).isEqualTo(2);
		assertThat(cause.queues()).isEqualTo(Map.of("charge", 2L, "mail", 1L));
		assertThat(cause.times()).containsExactly(NOW.minusSeconds(1), NOW.minusSeconds(2), NOW.minusSeconds(3));
		assertThat(cause.latest().id()).isEqualTo("mail1");
		assertThat(deaths.causes().get(1).frame()).isEqualTo("com.shop.Clerk.write");
	}

	@Test
	void methodOfTheApplicationIsFoundBehindThoseOfThisLibrary() {
		String stack = """
				dev.jobs.JobRejectedException: The queue 'mail' is full
					at dev.jobs.engine.enqueue.EnqueuePipe.enqueue(EnqueuePipe.java:99)
					at dev.jobs.serialization.JacksonPayloadSerializer.write(JacksonPayloadSerializer.java:9)
					at dev.jobs.JobClient.enqueue(JobClient.java:60)
					at dev.jobs.sample.Shop.place(Shop.java:31)
				""";
		Job job = dead("order", "dev.jobs.JobRejectedException: The queue 'mail' is full", stack, 1);
		assertThat(deaths(List.of(job)).causes().get(0).frame()).isEqualTo("dev.jobs.sample.Shop.place");
	}

	@Test
	void onlyWhatDiffersAmongTheJobsOfACauseIsMasked() {
		Job one = dead("mail", "Card of 17 was declined (code 51): 'no funds'", null, 1);
		Job other = dead("mail", "Card of 18 was declined (code 51): 'no credit'", null, 2);
		assertThat(deaths(List.of(one)).causes().get(0).error())
			.isEqualTo("Card of 17 was declined (code 51): 'no funds'");
		assertThat(deaths(List.of(one, other)).causes()).singleElement()
			.returns("Card of <number> was declined (code 51): 'no \u2026", Deaths.Cause::error);
		assertThat(
				deaths(List.of(one, other, dead("mail", "Card of 19 was declined (code 51): 'no'", null, 3))).causes())
			.singleElement()
			.returns("Card of <number> was declined (code <number>): '\u2026'", Deaths.Cause::error);
		assertThat(deaths(List.of(one, other)).causes().get(0).id())
			.isEqualTo(deaths(List.of(one)).causes().get(0).id());
	}

	@Test
	void jobsOfACauseAreFoundByItsId() {
		Job one = declined(17, "Mailer.send", 31, 1);
		Job other = declined(17, "Clerk.write", 31, 2);
		String id = deaths(List.of(one)).causes().get(0).id();
		assertThat(Deaths.causedBy(id)).accepts(one, declined(99, "Mailer.send", 7, 9)).rejects(other);
		assertThat(Deaths.causedBy(id)).rejects(one.toBuilder().state(JobState.READY).build());
	}

	@Test
	void numberOfALambdaIsNoPartOfTheFrame() {
		assertThat(deaths(List.of(declined(17, "Mailer.lambda$send$7", 31, 1))).causes().get(0).frame())
			.isEqualTo("com.shop.Mailer.lambda$send");
	}

	@Test
	void stackOfAnEarlierAttemptIsNotThatOfTheDeath() {
		Trail trail = TrailBuilder.ended(
				TrailRules.failed(Trail.EMPTY,
						Trail.Attempt.of(1, NOW, "no").withStackTrace(STACK.formatted(1, "A.b", 1))),
				Trail.End.of(DeadReason.UNREADABLE, "It cannot be read", NOW.plusSeconds(5)));
		Job job = Job.builder("1", "mail").state(JobState.DEAD).trail(trail).build();
		assertThat(deaths(List.of(job)).causes()).singleElement()
			.returns(null, Deaths.Cause::frame)
			.returns("It cannot be read", Deaths.Cause::error);
	}

}
