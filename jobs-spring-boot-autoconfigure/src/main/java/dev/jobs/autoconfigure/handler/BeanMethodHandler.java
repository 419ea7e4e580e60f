package dev.jobs.autoconfigure.handler;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import dev.jobs.Handler;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Runs jobs by calling a method of a bean, through the bean's proxy if it has one. The
 * bean is not created before the first job.
 */
class BeanMethodHandler implements Handler<@Nullable Object> {

	private final BeanFactory beanFactory;

	private final String beanName;

	private final HandlerMethod method;

	private volatile @Nullable Target target;

	BeanMethodHandler(BeanFactory beanFactory, String beanName, HandlerMethod method) {
		this.beanFactory = beanFactory;
		this.beanName = beanName;
		this.method = method;
	}

	@Override
	public JobResult handle(@Nullable Object payload, JobContext context) throws Exception {
		Target target = target();
		try {
			return this.method.result(target.method().invoke(target.bean(), this.method.arguments(payload, context)));
		}
		catch (InvocationTargetException ex) {
			ReflectionUtils.rethrowException(ex.getTargetException());
			throw ex;
		}
	}

	private Target target() {
		Target known = this.target;
		if (known != null) {
			return known;
		}
		Object bean = this.beanFactory.getBean(this.beanName);
		Method invocable = AopUtils.selectInvocableMethod(this.method.method(), bean.getClass());
		ReflectionUtils.makeAccessible(invocable);
		Target found = new Target(bean, invocable);
		if (this.beanFactory.isSingleton(this.beanName)) {
			this.target = found;
		}
		return found;
	}

	private record Target(Object bean, Method method) {

	}

}
