package dev.jobs.autoconfigure;

import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.function.SingletonSupplier;

/**
 * The client or the operations of an engine that is built at their first use, or after
 * all beans were created. So they can be injected into handlers, interceptors and
 * listeners, although the engine needs those.
 *
 * @param <T> the type of the bean
 * @param type that type
 * @param found finds the engine's object, which is kept in case its first use comes after
 * the end of the application
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
