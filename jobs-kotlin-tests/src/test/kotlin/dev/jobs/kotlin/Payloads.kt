package dev.jobs.kotlin

import com.fasterxml.jackson.annotation.JsonTypeInfo
import dev.jobs.JobType
import dev.jobs.UniqueJob
import java.time.Instant

@JobType("greet")
data class Greet(val name: String, val greeting: String = "Hello", val nickname: String? = null)

@JvmInline
value class Cents(val value: Long)

@JobType("charge")
@UniqueJob
data class Charge(val order: Long, val amount: Cents, val due: Instant)

@JobType("notify")
data class Notify(val notices: List<Notice>)

@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
sealed interface Notice {

	data class Mail(val to: String) : Notice

	data class Text(val number: String) : Notice

}

@JobType("remind")
data class Reminder(val text: String)
