package dev.jobs.kotlin

import dev.jobs.JobHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.test.system.CapturedOutput
import org.springframework.boot.test.system.OutputCaptureExtension
import org.springframework.context.annotation.Configuration

/** What an application is told whose handlers are of no accepted form. */
@ExtendWith(OutputCaptureExtension::class)
class MistakesTests {

	@Test
	fun suspendFunctionEndsTheStart(output: CapturedOutput) {
		assertThatThrownBy { start(Suspending::class.java) }
		assertThat(output).contains("it is a suspend function").contains("calls suspend functions in runBlocking")
	}

	@Test
	fun coroutineThatIsOnlyStartedEndsTheStart(output: CapturedOutput) {
		assertThatThrownBy { start(Starting::class.java) }
		assertThat(output)
			.contains("it returns kotlinx.coroutines.Deferred, and the job would count as done before its work is")
	}

	@Test
	fun wrongAttributeIsNamed(output: CapturedOutput) {
		assertThatThrownBy { start(Wrong::class.java) }
		assertThat(output).contains("'maxAttempts' must be at least 1 but was -1")
			.contains("'keepDead' must be true or false but was \"never\"")
	}

	private fun start(type: Class<*>) {
		SpringApplicationBuilder(Plain::class.java, type).web(WebApplicationType.NONE).run("--jobs.store=memory").close()
	}

	@EnableAutoConfiguration
	@Configuration
	class Plain

	open class Suspending {

		@JobHandler("suspend")
		open suspend fun run(name: String) {
			delay(name.length.toLong())
		}

	}

	open class Starting {

		@JobHandler("starting")
		open fun run(name: String) = CoroutineScope(Dispatchers.Default).async { name.length }

	}

	open class Wrong {

		@JobHandler("wrong", maxAttempts = -1, keepDead = "never")
		open fun run() {
		}

	}

}
