package dev.jobs.dashboard.view;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CronWords}.
 */
class CronWordsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			*/30 * * * * * | every 30 seconds
			* * * * * *    | every second
			0 * * * * *    | every minute
			*/5 * * * *    | every 5 minutes
			0 0 * * * *    | every hour
			30 * * * *     | at minute 30 past every hour
			0 0 9 * * *    | every day at 09:00
			0 0 9,17 * * * | every day at 09:00 and 17:00
			15 30 2 * * *  | every day at 02:30:15
			0 30 2 * * MON-FRI | at 02:30 on weekdays
			0 0 8 * * 1,3  | at 08:00 on Monday and Wednesday
			0 0 8 * * SAT-SUN | at 08:00 on Saturday to Sunday
			0 0 8 * * 5#2  | at 08:00 on the 2nd Friday of the month
			0 0 8 * * FRIL | at 08:00 on the last Friday of the month
			0 0 0 1 * *    | at 00:00 on the 1st
			0 0 0 1,15 * ? | at 00:00 on the 1st and 15th
			0 0 0 L * *    | at 00:00 on the last day of the month
			0 0 0 LW * *   | at 00:00 on the last weekday of the month
			0 0 0 15W * *  | at 00:00 on the weekday nearest the 15th
			0 0 0 1 1 *    | at 00:00 on the 1st in January
			0 0 6 * JUN-AUG * | at 06:00 in June to August
			0 0 9-17 * * * | every hour from 09:00 to 17:59
			0 */10 9-17 * * MON-FRI | every 10 minutes from 09:00 to 17:59 on weekdays
			0 0 */2 * * *  | every 2 hours
			0 30 */2 * * * | at minute 30 of every 2nd hour
			0 0 0 13 * FRI | at 00:00 on Friday, if that is the 13th
			@daily         | every day at 00:00
			@every 10s     | every 10 seconds
			@every 1h30m   | every 1 hour 30 minutes
			CRON_TZ=Asia/Tokyo 0 9 * * * | every day at 09:00
			0 0 X * * *    | every hour in the hours X
			nonsense       | nonsense
			""")
	void expressionIsPutInEnglish(String expression, String words) {
		assertThat(CronWords.of(expression)).isEqualTo(words);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			*/7 * * * * *     | at seconds 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every minute
			0 */90 * * * *    | every hour
			0 5/15 * * * *    | at minutes 5, 20, 35 and 50 past every hour
			0 0 */5 * * *     | every day at 00:00, 05:00, 10:00, 15:00 and 20:00
			0 0 */24 * * *    | every day at 00:00
			0 0 9-17/4 * * *  | every day at 09:00, 13:00 and 17:00
			0/5 0 * * * *     | at minute 0 past every hour (every 5 seconds)
			0 0 9 1/1 * ?     | every day at 09:00
			0 0 9 1/5 * ?     | at 09:00 on every 5th day of the month
			0 0 9 2/10 * *    | at 09:00 on the 2nd, 12th and 22nd
			0 0 9 1 */3 *     | at 09:00 on the 1st in January, April, July and October
			0 0 9 * * */2     | at 09:00 on Monday, Wednesday, Friday and Sunday
			00 00 09 * * *    | every day at 09:00
			0 1/2 * * * *     | at minutes 1/2 past every hour
			@every PT1H0.5S   | every 1 hour 500 milliseconds
			@every P1D        | every 1 day
			""")
	void unevenStepsAreListedAsValues(String expression, String words) {
		assertThat(CronWords.of(expression)).isEqualTo(words);
	}

}
