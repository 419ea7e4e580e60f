package dev.jobs.kotlin

import dev.jobs.Backoff
import dev.jobs.EnqueueInterceptor
import dev.jobs.Enqueued
import dev.jobs.JobClient
import dev.jobs.JobContext
import dev.jobs.JobEvent
import dev.jobs.JobHandler
import dev.jobs.JobListener
import dev.jobs.JobResult
import dev.jobs.RunInterceptor
import dev.jobs.autoconfigure.JobEngineCustomizer
import dev.jobs.autoconfigure.handler.HandlerCustomizer
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.stereotype.Component
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RestController
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList

@SpringBootApplication
class Shop

/** What happened, for the tests. */
@Component
class Diary {

	val lines = CopyOnWriteArrayList<String>()

	fun note(line: String) {
		lines += line
	}

}

class CardDeclined : RuntimeException("no money")

@Component
class Handlers(private val diary: Diary) {

	@JobHandler(maxAttempts = 3, timeout = "\${shop.timeout:30s}", keepHistory = "true",
		noRetryFor = [IllegalStateException::class],
		backoff = JobHandler.RetryDelay(type = "fixed", delay = "5s", jitter = 0.1))
	fun greet(greet: Greet, context: JobContext): JobResult {
		if (greet.name.isBlank()) {
			return JobResult.discard().message("nobody to greet")
		}
		diary.note("${greet.greeting} ${greet.nickname ?: greet.name}, attempt ${context.attempt()}")
		return JobResult.done()
	}

	@JobHandler(transactional = "false", maxConcurrency = 2)
	fun charge(charge: Charge) = runBlocking {
		delay(1)
		diary.note("charged ${charge.amount.value} for order ${charge.order}")
	}

	@JobHandler
	fun notify(notify: Notify) {
		for (notice in notify.notices) {
			when (notice) {
				is Notice.Mail -> diary.note("mail to ${notice.to}")
				is Notice.Text -> diary.note("text to ${notice.number}")
			}
		}
	}

	@JobHandler
	fun remind(reminder: Reminder?) = diary.note(reminder?.text ?: "nothing in particular")

	@JobHandler("count-words", keepResult = "1h")
	fun count(text: String) = text.split(" ").size

	/** Its type is Unit?, which is an object. */
	@JobHandler("visit")
	fun visit(guest: Map<String, String>) = guest["name"]?.let { diary.note("visit of $it") }

	@JobHandler("decline", noRetryFor = [CardDeclined::class])
	fun decline() {
		throw CardDeclined()
	}

}

@Configuration
class Hooks(private val diary: Diary) {

	@Bean
	fun tenant() = EnqueueInterceptor { requests, next ->
		next.proceed(requests.map { it.header("tenant", "kotlin") })
	}

	@Bean
	fun tenantOfRun() = RunInterceptor { context, next ->
		next.proceed().also { diary.note("tenant ${context.headers()["tenant"]}") }
	}

	@Bean
	fun values() = RunInterceptor { _, next ->
		next.proceed().also { result -> result.value?.let { diary.note("returned $it") } }
	}

	@Bean
	fun deaths() = JobListener { event -> if (event is JobEvent.Died) diary.note("dead: ${event.job().name()}") }

	/** Named by a handler, or by jobs.defaults.backoff.bean. */
	@Bean
	fun slow() = Backoff { _, failures, _ -> Duration.ofSeconds(10L * failures) }

	@Bean
	fun patient() = HandlerCustomizer { _, options -> options.retry { retry -> retry.maxCrashes(3) } }

	@Bean
	fun few() = JobEngineCustomizer { builder -> builder.concurrency(4) }

}

@RestController
class Greetings(private val jobs: JobClient) {

	@PostMapping("/greetings/{name}")
	suspend fun greet(@PathVariable name: String): Enqueued = withContext(Dispatchers.IO) {
		jobs.enqueue(Greet(name)) { it.delay(Duration.ofMinutes(10)).tags("customer:$name") }
	}

}
