package dev.jobs.autoconfigure.handler;

import java.lang.reflect.Method;
import java.util.Set;

import dev.jobs.JobHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Makes handlers work in a native image: registers their methods, payloads and returned
 * values for reflection.
 */
class JobHandlerAotProcessor implements BeanRegistrationAotProcessor {

	private final PayloadHints payloads = new PayloadHints();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		Set<Method> methods = MethodIntrospector.selectMethods(type,
				(Method method) -> AnnotatedElementUtils.hasAnnotation(method, JobHandler.class));
		if (methods.isEmpty()) {
			return null;
		}
		return (context, code) -> methods.forEach((method) -> {
			ReflectionHints hints = context.getRuntimeHints().reflection();
			hints.registerMethod(method, ExecutableMode.INVOKE);
			HandlerMethod handler = HandlerMethod.of(type, method);
			this.payloads.register(hints, handler.payloadType());
			this.payloads.register(hints, handler.valueType());
		});
	}

}
