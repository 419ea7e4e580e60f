package dev.jobs.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import dev.jobs.Deaths;
import dev.jobs.Job;
import dev.jobs.JobArgs;
import dev.jobs.JobClient;
import dev.jobs.JobCount;
import dev.jobs.JobHandler;
import dev.jobs.JobPage;
import dev.jobs.JobType;
import dev.jobs.QueueStatus;
import dev.jobs.Trail;
import dev.jobs.UniqueJob;
import dev.jobs.autoconfigure.properties.CheckedProperties;
import dev.jobs.engine.EngineStatus;
import dev.jobs.json.ValuesAsJson;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.ReplicatedEnqueued;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.StoreView;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WaitReasonView;
import dev.jobs.store.view.WantedWorkersView;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * Registers the types of Jobs for reflection in a native image: annotations are merged,
 * and values that applications get are written as JSON.
 */
class ValueHints implements RuntimeHintsRegistrar {

	/** Values whose types are not visible here. */
	private static final List<String> HIDDEN = List.of("dev.jobs.engine.StoredSchedule$Listed",
			"dev.jobs.engine.StoredPool$Listed", "dev.jobs.cron.TickRun",
			"dev.jobs.store.support.TrailBuilder$RecordedTrail", "dev.jobs.engine.bulk.BulkAction",
			"dev.jobs.engine.schedule.ScheduleSpec$Stored", "dev.jobs.store.view.WorkerJson$Worker",
			"dev.jobs.store.view.WorkerJson$Progress");

	/** Local types, which have no names in the language. */
	private static final List<String> LOCAL = List.of("dev.jobs.Enqueued$1Result",
			"dev.jobs.Trail$Attempt$1EndedAttempt", "dev.jobs.Trail$End$1Death", "dev.jobs.Note$1KeptNote");

	private static final String ARGUMENTS = "dev.jobs.serialization.PayloadFormat$JobArgsAsMap";

	private static final String BODY = "dev.jobs.actuate.endpoint.JsonBody";

	private static final String ACTUATOR = "org.springframework.boot.actuate.endpoint.OperationResponseBody";

	private static final MemberCategory[] MEMBERS = { MemberCategory.ACCESS_DECLARED_FIELDS,
			MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, MemberCategory.INVOKE_DECLARED_METHODS };

	private final BindingReflectionHintsRegistrar values = new BindingReflectionHintsRegistrar();

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		Stream.of(JobHandler.class, JobType.class, UniqueJob.class).forEach(hints.proxies()::registerJdkProxy);
		Stream.of(JobClient.class, JobOperations.class)
			.map(AopProxyUtils::completeJdkProxyInterfaces)
			.forEach(hints.proxies()::registerJdkProxy);
		this.values.registerReflectionHints(hints.reflection(), ReplicatedEnqueued.class, QueueView.class,
				WorkerView.class, StoreView.class, StoreFault.class, Tally.class, WaitReasonView.class,
				WantedWorkersView.class, EngineStatus.class, JobArgs.class);
		if (ClassUtils.isPresent(ACTUATOR, classLoader)) {
			hints.reflection().registerType(TypeReference.of(BODY), MEMBERS);
		}
		HIDDEN.forEach((hidden) -> this.values.registerReflectionHints(hints.reflection(),
				ClassUtils.resolveClassName(hidden, classLoader)));
		Stream.of(Job.class, Trail.class, ValuesAsJson.class)
			.map(Class::getDeclaredClasses)
			.flatMap(Arrays::stream)
			.forEach((part) -> registerMembers(hints, part));
		Stream
			.of(Job.class, Trail.class, JobPage.class, JobCount.class, Deaths.class, Deaths.Cause.class,
					QueueStatus.class)
			.forEach((type) -> registerMembers(hints, type));
		hints.resources().registerPattern("META-INF/spring/" + CheckedProperties.class.getName() + ".imports");
		LOCAL.forEach((local) -> hints.reflection().registerType(TypeReference.of(local), MEMBERS));
		hints.reflection()
			.registerType(ClassUtils.resolveClassName(ARGUMENTS, classLoader), MemberCategory.INVOKE_DECLARED_METHODS);
	}

	private static void registerMembers(RuntimeHints hints, Class<?> type) {
		hints.reflection().registerType(type, MEMBERS);
	}

}
