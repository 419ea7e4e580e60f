package dev.jobs.autoconfigure.handler;

import java.util.List;

import dev.jobs.JobType;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/**
 * Lets an application without a handler enqueue from a native image: it registers payload
 * types that have a {@link JobType} and are in the application's packages.
 */
class JobTypeAotProcessor implements BeanFactoryInitializationAotProcessor {

	private final PayloadHints payloads = new PayloadHints();

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		if (!AutoConfigurationPackages.has(beanFactory)) {
			return null;
		}
		List<? extends Class<?>> types = AutoConfigurationPackages.get(beanFactory)
			.stream()
			.flatMap((basePackage) -> new Types().findCandidateComponents(basePackage).stream())
			.map((definition) -> load(definition, beanFactory.getBeanClassLoader()))
			.toList();
		return (context, code) -> types
			.forEach((type) -> this.payloads.register(context.getRuntimeHints().reflection(), type));
	}

	private static Class<?> load(BeanDefinition definition, @Nullable ClassLoader classLoader) {
		return ClassUtils.resolveClassName(String.valueOf(definition.getBeanClassName()), classLoader);
	}

	/** Finds types of all kinds, including interfaces and nested types. */
	private static final class Types extends ClassPathScanningCandidateComponentProvider {

		Types() {
			super(false);
			addIncludeFilter(new AnnotationTypeFilter(JobType.class, true, true));
		}

		@Override
		protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
			return true;
		}

	}

}
