package dev.jobs.autoconfigure.handler;

import java.io.IOException;

import dev.jobs.JobEvent;
import dev.jobs.JobHandler;
import dev.jobs.JobListener;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Received;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for handlers whose beans have proxies.
 */
class ProxiedHandlerTests {

	private final ApplicationContextRunner runner = Contexts.runner().withBean(Received.class);

	@Test
	void adviceOfClassProxyApplies() {
		proxied(true).withBean("handler", Mailer.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isCglibProxy(context.getBean("handler"))).isTrue();
			Received received = context.getBean(Received.class);
			Contexts.client(context).enqueue("package-private", "a");
			assertThat(received.next()).isEqualTo("advised");
			assertThat(received.next()).isEqualTo("a");
		});
	}

	@Test
	void adviceOfInterfaceProxyApplies() {
		proxied(false).withBean("handler", Printer.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean("handler"))).isTrue();
			Received received = context.getBean(Received.class);
			Contexts.client(context).enqueue("print", "a");
			assertThat(received.next()).isEqualTo("advised");
			assertThat(received.next()).isEqualTo("a");
		});
	}

	@Test
	void lazyBeanIsCalledThroughItsProxy() {
		proxied(true).withUserConfiguration(LazyConfiguration.class).run((context) -> {
			Received received = context.getBean(Received.class);
			Contexts.client(context).enqueue("package-private", "b");
			assertThat(received.next()).isEqualTo("advised");
			assertThat(received.next()).isEqualTo("b");
		});
	}

	@Test
	void methodThatTheInterfaceProxyLacksFailsTheStart() {
		proxied(false).withBean("handler", HiddenPrinter.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("HiddenPrinter.hidden()")
				.contains("proxy of bean 'handler'")
				.contains("proxyTargetClass = true"));
	}

	@Test
	void finalMethodOfClassProxyFailsTheStart() {
		proxied(true).withBean("handler", FinalMailer.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("FinalMailer.send()")
				.contains("is final")
				.contains("Remove 'final'"));
	}

	@Test
	void exceptionReachesTheEngineUnwrapped() {
		proxied(true).withBean("handler", Failing.class).withBean(FailureListener.class).run((context) -> {
			Received received = context.getBean(Received.class);
			Contexts.client(context).enqueue("checked");
			assertThat(received.next()).isEqualTo("advised");
			assertThat(received.next()).isInstanceOf(IOException.class);
			Contexts.client(context).enqueue("error");
			assertThat(received.next()).isEqualTo("advised");
			assertThat(received.next()).isInstanceOf(StackOverflowError.class);
		});
	}

	private ApplicationContextRunner proxied(boolean byClass) {
		return this.runner.withBean("advice", Advice.class).withBean(BeanNameAutoProxyCreator.class, () -> {
			BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
			creator.setBeanNames("handler");
			creator.setInterceptorNames("advice");
			creator.setProxyTargetClass(byClass);
			return creator;
		});
	}

	static class Advice implements MethodInterceptor {

		private final ObjectProvider<Received> received;

		Advice(ObjectProvider<Received> received) {
			this.received = received;
		}

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			this.received.getObject().add("advised");
			return invocation.proceed();
		}

	}

	static class Mailer {

		private final Received received;

		Mailer(Received received) {
			this.received = received;
		}

		@JobHandler("package-private")
		void send(String text) {
			this.received.add(text);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyConfiguration {

		@Bean
		@Lazy
		Mailer handler(Received received) {
			return new Mailer(received);
		}

	}

	interface Printing {

		void print(String text);

	}

	static class Printer implements Printing {

		private final Received received;

		Printer(Received received) {
			this.received = received;
		}

		@Override
		@JobHandler("print")
		public void print(String text) {
			this.received.add(text);
		}

	}

	static class HiddenPrinter implements Printing {

		@Override
		public void print(String text) {
		}

		@JobHandler("hidden")
		void hidden() {
		}

	}

	static class FinalMailer {

		@JobHandler("final")
		final void send() {
		}

	}

	static class Failing {

		@JobHandler("checked")
		void checked() throws IOException {
			throw new IOException("no network");
		}

		@JobHandler("error")
		void error() {
			throw new StackOverflowError("too deep");
		}

	}

	static class FailureListener implements JobListener {

		private final Received received;

		FailureListener(Received received) {
			this.received = received;
		}

		@Override
		public void on(JobEvent event) {
			if (event instanceof JobEvent.Retrying retrying && retrying.cause() != null) {
				this.received.add(retrying.cause());
			}
		}

	}

}
