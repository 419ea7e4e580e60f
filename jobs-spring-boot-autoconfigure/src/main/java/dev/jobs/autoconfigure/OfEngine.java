package dev.jobs.autoconfigure;

import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.function.SingletonSupplier;

/**
 * The client or the operations of an engine that is built when they are first used, or
 * after all beans were created. So handlers, interceptors and listeners may have them
 * injected, although the engine needs those.
 *
 * @param <T> the type of the bean
 * @param type that type
 * @param found finds the object of the engine, which is kept for a first use after the
 * application has ended
 */
record OfEngine<T>(Class<T> type,
		SingletonSupplier<T> found) implements FactoryBean<T>, TargetSource, SmartInitializingSingleton {

	@Override
	public T getObject() {
		return ProxyFactory.getProxy(this.type, this);
	}

	@Override
	public Class<T> getObjectType() {
		return this.type;
	}

	@Override
	public Class<T> getTargetClass() {
		return this.type;
	}

	@Override
	public Object getTarget() {
		return this.found.obtain();
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.found.obtain();
	}

}
