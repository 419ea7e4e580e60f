package dev.jobs.test.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.stream.Stream;

import dev.jobs.engine.JobEngine;
import dev.jobs.test.TestJobs;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/**
 * Names what a test with an injected {@link TestJobs} lacks: {@link JobsTest}, or an
 * application beside it. Otherwise Spring would name some missing bean.
 */
class JobsTestReminder implements TestExecutionListener, Ordered {

	/** Runs before beans are injected, and after a context was marked as dirty. */
	private static final int ORDER = 1990;

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void beforeTestClass(TestContext context) {
		Class<?> test = context.getTestClass();
		if (!wantsTestJobs(test)) {
			return;
		}
		if (TestContextAnnotationUtils.hasAnnotation(test, JobsTest.class)) {
			require(context, JobEngine.class, JobsTestConfiguration.NO_JOBS);
		}
		else {
			require(context, TestJobs.class, test.getSimpleName()
					+ " wants TestJobs, which its context does not have. Put @JobsTest on the class");
		}
	}

	private static void require(TestContext context, Class<?> type, String otherwise) {
		if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(context.getApplicationContext(), type, false,
				false).length == 0) {
			throw new IllegalStateException(otherwise);
		}
	}

	private static boolean wantsTestJobs(@Nullable Class<?> test) {
		if (test == null) {
			return false;
		}
		Stream<AnnotatedElement> fields = Arrays.stream(test.getDeclaredFields())
			.filter((field) -> field.getType() == TestJobs.class)
			.map((field) -> field);
		Stream<AnnotatedElement> constructors = Arrays.stream(test.getDeclaredConstructors())
			.filter(JobsTestReminder::takesTestJobs)
			.map((constructor) -> constructor);
		return Stream.concat(fields, constructors)
			.anyMatch((element) -> AnnotatedElementUtils.hasAnnotation(element, Autowired.class))
				|| wantsTestJobs(test.getSuperclass());
	}

	private static boolean takesTestJobs(Constructor<?> constructor) {
		return Arrays.asList(constructor.getParameterTypes()).contains(TestJobs.class);
	}

}
