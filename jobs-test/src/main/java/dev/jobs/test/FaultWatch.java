package dev.jobs.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * An extension that fails a test in which an unexpected fault was logged. The engine
 * survives nearly all of its own faults, so a test that looks only at jobs would not see
 * them. It needs a {@link FaultAppender}.
 * <p>
 * A fault belongs to the test whose thread, or a descendant of it, logged it, since tests
 * may run in parallel. Without such a test it belongs to all tests that run at the time.
 * A fault that comes after its test has ended fails the next one and names its own test.
 * <p>
 * A process that a test starts does not watch itself. It may {@linkplain #report report}
 * to the test, which {@linkplain #noticed records} the fault.
 */
public final class FaultWatch implements BeforeEachCallback, AfterEachCallback {

	private static final Namespace NAMESPACE = Namespace.create(FaultWatch.class);

	/** The prefixes of the thread names of an engine or a store. */
	private static final String OWN_THREADS = "jobs-";

	private static final InheritableThreadLocal<@Nullable Watched> CURRENT = new InheritableThreadLocal<>();

	private static final Set<Watched> RUNNING = ConcurrentHashMap.newKeySet();

	private static final Queue<Fault> LATE = new ConcurrentLinkedQueue<>();

	/** Processes that run no tests may have an appender, too. */
	private static volatile boolean watching;

	private static volatile Consumer<String> unwatched = (text) -> {
	};

	/**
	 * Create a watch.
	 */
	public FaultWatch() {
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		context.getStore(NAMESPACE).put(Watched.class, begin(nameOf(context), expectations(context)));
	}

	@Override
	public void afterEach(ExtensionContext context) {
		Watched watched = context.getStore(NAMESPACE).remove(Watched.class, Watched.class);
		List<Fault> faults = (watched != null) ? end(watched) : List.of();
		if (!faults.isEmpty()) {
			throw asError(faults);
		}
	}

	private static String nameOf(ExtensionContext context) {
		return context.getRequiredTestClass().getName() + "." + context.getRequiredTestMethod().getName();
	}

	private static List<ExpectsFaults> expectations(ExtensionContext context) {
		List<ExpectsFaults> expectations = new ArrayList<>();
		for (ExtensionContext at = context; at != null; at = at.getParent().orElse(null)) {
			AnnotationSupport.findAnnotation(at.getElement(), ExpectsFaults.class).ifPresent(expectations::add);
		}
		return expectations;
	}

	private static AssertionError asError(List<Fault> faults) {
		StringBuilder text = new StringBuilder("Unexpected faults were logged:");
		faults.forEach((fault) -> text.append("\n\t").append(fault));
		AssertionError error = new AssertionError(text.toString());
		for (Fault fault : faults) {
			if (fault.thrown() != null) {
				error.addSuppressed(fault.thrown());
			}
		}
		return error;
	}

	/**
	 * Begin to watch a test on this thread.
	 */
	static Watched begin(String test, List<ExpectsFaults> expectations) {
		Watched watched = new Watched(test, expectations, CURRENT.get());
		watching = true;
		RUNNING.add(watched);
		CURRENT.set(watched);
		return watched;
	}

	/**
	 * Stop watching a test.
	 * @return the faults it did not expect, and those of former tests that came late
	 */
	static List<Fault> end(Watched watched) {
		CURRENT.set(watched.outer);
		RUNNING.remove(watched);
		List<Fault> faults = watched.end();
		for (Iterator<Fault> late = LATE.iterator(); late.hasNext();) {
			Fault fault = late.next();
			late.remove();
			if (fault.of() != null || !watched.expects(fault.text())) {
				faults.add(fault);
			}
		}
		return faults;
	}

	/**
	 * Report the faults that are logged in this process, in which no tests run.
	 * @param to takes the text of each
	 */
	public static void report(Consumer<String> to) {
		unwatched = to;
	}

	/**
	 * Record a fault that was logged in a process started by this thread's test.
	 * @param text what was logged
	 */
	public static void noticed(String text) {
		noticed(text, null);
	}

	/**
	 * Record a fault that was logged on this thread.
	 */
	static void noticed(String text, @Nullable Throwable thrown) {
		if (!watching) {
			unwatched.accept(text);
			return;
		}
		Watched owner = ownerHere();
		if (owner != null && !owner.expects(text)) {
			Fault fault = new Fault(text, owner.test, thrown);
			if (!owner.add(fault)) {
				LATE.add(fault);
			}
		}
		else if (owner == null && RUNNING.stream().noneMatch((watched) -> watched.expects(text))) {
			Fault fault = new Fault(text, null, thrown);
			if (RUNNING.stream().filter((watched) -> watched.add(fault)).count() == 0) {
				LATE.add(fault);
			}
		}
	}

	/**
	 * Return the test that this thread belongs to. A driver's thread, for example,
	 * belongs to none once the test that started it has ended.
	 */
	private static @Nullable Watched ownerHere() {
		Watched owner = CURRENT.get();
		boolean own = Thread.currentThread().getName().startsWith(OWN_THREADS);
		return (owner != null && (own || RUNNING.contains(owner))) ? owner : null;
	}

	/**
	 * An unexpected fault.
	 *
	 * @param text what was logged
	 * @param of its test, or {@code null} if it is not known
	 * @param thrown what was thrown, or {@code null}
	 */
	record Fault(String text, @Nullable String of, @Nullable Throwable thrown) {

		@Override
		public String toString() {
			return this.text + " (" + ((this.of != null) ? "in " + this.of : "on a thread of no test") + ")";
		}

	}

	/**
	 * A watched test.
	 */
	static final class Watched {

		private final String test;

		private final List<ExpectsFaults> expectations;

		private final @Nullable Watched outer;

		private final List<Fault> faults = new ArrayList<>();

		private boolean ended;

		Watched(String test, List<ExpectsFaults> expectations, @Nullable Watched outer) {
			this.test = test;
			this.expectations = expectations;
			this.outer = outer;
		}

		boolean expects(String text) {
			return this.expectations.stream()
				.map(ExpectsFaults::value)
				.anyMatch((parts) -> parts.length == 0 || Arrays.stream(parts).anyMatch(text::contains));
		}

		synchronized boolean add(Fault fault) {
			if (!this.ended) {
				this.faults.add(fault);
			}
			return !this.ended;
		}

		synchronized List<Fault> end() {
			this.ended = true;
			return this.faults;
		}

	}

}
