package dev.jobs.kotlin

import dev.jobs.JobClient
import dev.jobs.test.ExpectsFaults
import dev.jobs.test.TestJobs
import dev.jobs.test.spring.JobsTest
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.boot.webtestclient.autoconfigure.AutoConfigureWebTestClient
import org.springframework.test.context.TestConstructor
import org.springframework.test.context.TestConstructor.AutowireMode
import org.springframework.test.web.reactive.server.WebTestClient
import java.time.Duration
import java.time.Instant

inline fun <reified T : Any> TestJobs.payloads(name: String): List<T> = payloads(name, T::class.java)

@SpringBootTest
@AutoConfigureWebTestClient
@JobsTest
@TestConstructor(autowireMode = AutowireMode.ALL)
class KotlinShopTests(private val jobs: JobClient, private val testJobs: TestJobs, private val diary: Diary,
	private val web: WebTestClient) {

	@BeforeEach
	fun clear() {
		testJobs.clear()
		diary.lines.clear()
	}

	@Test
	fun suspendControllerEnqueues() {
		web.post().uri("/greetings/ada").exchange().expectStatus().isOk
			.expectBody().jsonPath("$.outcome").isEqualTo("NEW")
		assertThat(testJobs.payloads<Greet>("greet")).containsExactly(Greet("ada"))
		assertThat(testJobs.waiting("greet").single().tags()).containsExactly("customer:ada")
		assertThat(testJobs.runUntilIdle()).isZero()
		testJobs.advance(Duration.ofMinutes(10))
		assertThat(diary.lines).containsExactly("Hello ada, attempt 1", "tenant kotlin")
	}

	@Test
	fun defaultArgumentsFillWhatIsMissing() {
		jobs.enqueue("greet", mapOf("name" to "bob"))
		jobs.enqueue(Greet("Robert", nickname = "bob"))
		testJobs.runUntilIdle()
		assertThat(diary.lines.filter { it.startsWith("Hello") })
			.containsExactly("Hello bob, attempt 1", "Hello bob, attempt 1")
	}

	@Test
	@ExpectsFaults("is dead")
	fun nullWhereNoneMayBeMakesTheJobUnreadable() {
		jobs.enqueue("greet", """{"name":null}""".toByteArray())
		testJobs.runUntilIdle()
		assertThat(testJobs.dead().single().trail().end()!!.message()).contains("null for 'name', which may not be null")
	}

	@Test
	fun valueClassesAndInstantsArriveEqual() {
		val charge = Charge(7, Cents(4_200), Instant.parse("2026-01-02T03:04:05.000000006Z"))
		jobs.enqueue(charge)
		assertThat(jobs.enqueue(charge).isNew).isFalse()
		assertThat(testJobs.payloads<Charge>("charge")).containsExactly(charge)
		testJobs.runUntilIdle()
		assertThat(diary.lines).contains("charged 4200 for order 7")
	}

	@Test
	fun sealedTypesArriveAsTheSubtypeTheyWere() {
		jobs.enqueue(Notify(listOf(Notice.Mail("ada@example.org"), Notice.Text("123"))))
		testJobs.runUntilIdle()
		assertThat(diary.lines).contains("mail to ada@example.org", "text to 123")
	}

	@Test
	fun nullablePayloadMayBeMissing() {
		jobs.enqueue("remind")
		jobs.enqueue(Reminder("call back"))
		testJobs.runUntilIdle()
		assertThat(diary.lines).contains("nothing in particular", "call back")
	}

	@Test
	fun valueOfAnExpressionBodyIsReturned() {
		jobs.enqueue("count-words", "to be or not")
		testJobs.runUntilIdle()
		assertThat(diary.lines).contains("returned 4")
	}

	@Test
	fun unitIsNoValue() {
		jobs.enqueue("visit", mapOf("name" to "ada"))
		testJobs.runUntilIdle()
		assertThat(diary.lines).contains("visit of ada").noneMatch { it.startsWith("returned") }
		assertThat(testJobs.dead()).isEmpty()
	}

	@Test
	@ExpectsFaults("no money")
	fun arrayOfExceptionsIsRead() {
		jobs.enqueue("decline")
		testJobs.runUntilIdle()
		assertThat(testJobs.dead()).hasSize(1)
		assertThat(diary.lines).contains("dead: decline")
	}

	@Test
	fun handlerMayAnswerWithAResult() {
		jobs.enqueue(Greet(" "))
		testJobs.runUntilIdle()
		assertThat(diary.lines).noneMatch { it.startsWith("Hello") }
	}

}
