package dev.jobs.lab;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

import dev.jobs.store.ClaimReply;
import dev.jobs.store.JobStore;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;

/**
 * A store that notes which beats and ends it has confirmed: until when a worker could be
 * sure of its jobs, and which of its ends and saved values count. It also notes what was
 * taken over, and when it told its time.
 */
final class NotingStore {

	private final JobStore store;

	private final Ledger ledger;

	private NotingStore(JobStore store, Ledger ledger) {
		this.store = store;
		this.ledger = ledger;
	}

	static JobStore around(JobStore store, Ledger ledger) {
		NotingStore noting = new NotingStore(store, ledger);
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, arguments) -> noting.call(method, arguments));
	}

	private Object call(Method method, Object[] arguments) throws Throwable {
		long sent = System.nanoTime();
		Object reply;
		try {
			reply = method.invoke(this.store, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
		if (method.getName().equals("beat") && !((WorkerBeat) arguments[0]).leaving()) {
			this.ledger.note(Entry.Kind.BEAT, sent);
		}
		switch (method.getName()) {
			case "time" -> this.ledger.note(Entry.Kind.TIME, sent);
			case "takeOver" -> ((ClaimReply) reply).claims()
				.forEach((claim) -> this.ledger.note(Entry.Kind.TAKEN_OVER, claim.job().id()));
			case "settle" -> noteEnds((List<?>) arguments[0], (List<?>) reply);
			case "save" -> noteSaves((List<?>) arguments[0], (List<?>) reply);
			default -> {
			}
		}
		return reply;
	}

	private void noteSaves(List<?> saves, List<?> answers) {
		for (int i = 0; i < saves.size(); i++) {
			Save save = (Save) saves.get(i);
			if (answers.get(i) == Settled.APPLIED) {
				this.ledger.note(Entry.Kind.SAVED, save.job(), save.token(), save.name().replace(' ', '_'));
			}
		}
	}

	private void noteEnds(List<?> transitions, List<?> answers) {
		for (int i = 0; i < transitions.size(); i++) {
			Transition transition = (Transition) transitions.get(i);
			this.ledger.note(Entry.Kind.SETTLED, transition.id(), transition.token(), transition.to(), answers.get(i));
		}
	}

}
