package dev.jobs.engine;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

import dev.jobs.JobCalendar;
import dev.jobs.RunInterceptor;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.context.EventBus;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.Tallies;
import dev.jobs.engine.context.TestPoints;
import dev.jobs.engine.enqueue.CallersStore;
import dev.jobs.engine.enqueue.EnqueuePipe;
import dev.jobs.engine.enqueue.NewJobs;
import dev.jobs.engine.enqueue.TickWriter;
import dev.jobs.engine.outbox.OutboxRelay;
import dev.jobs.engine.run.StepTransactions;
import dev.jobs.engine.schedule.ScheduleFaults;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settings.Pool;
import dev.jobs.store.JobStore;
import dev.jobs.store.support.Refusals;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an engine that are the same for every start.
 *
 * @param store the store
 * @param newJobs makes jobs of requests
 * @param registry the handlers
 * @param settings the settings
 * @param clock the clock
 * @param events the listeners
 * @param tallies counts what happens to jobs
 * @param refusals what the store does not take
 * @param testPoints what tests want of runs
 * @param callersStore the store as callers see it
 * @param pipe takes every enqueue
 * @param tickWriter enqueues the jobs of schedules
 * @param outbox carries jobs from the outbox to the store, or {@code null} if there is
 * none
 * @param pools the pools
 * @param runInterceptors the interceptors around runs, the outermost first
 * @param recurringJobs the schedules
 * @param calendars the calendars of schedules, by name
 * @param scheduleFaults why schedules do not tick
 * @param transactions the transactions of handlers and steps
 * @param threadFactories makes the threads of a pool, by its name
 */
record EngineParts(JobStore store, NewJobs newJobs, HandlerRegistry registry, EngineSettings settings, StoreClock clock,
		EventBus events, Tallies tallies, Refusals refusals, TestPoints testPoints, CallersStore callersStore,
		EnqueuePipe pipe, TickWriter tickWriter, @Nullable OutboxRelay outbox, List<Pool> pools,
		List<RunInterceptor> runInterceptors, List<RecurringJob> recurringJobs, Map<String, JobCalendar> calendars,
		ScheduleFaults scheduleFaults, StepTransactions transactions, Function<String, ThreadFactory> threadFactories) {

}
