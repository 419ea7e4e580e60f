package dev.jobs.store.contract;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import dev.jobs.Unique;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.view.SavedView;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#save}.
 */
abstract class SaveContract extends ContractPart {

	SaveContract(StoreSource source) {
		super(source);
	}

	private static Save save(Claim claim, String name, String value) {
		return new Save(claim.job().id(), claim.job().name(), claim.token(), name, value.getBytes());
	}

	private static NewJob.UniqueKey key(Unique.OnDuplicate rule) {
		return new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_DONE, Unique.Scope.HANDLER, null, rule);
	}

	private List<Settled> save(Save... saves) {
		return this.store.save(List.of(saves), this.now);
	}

	private List<String> saved(String job) {
		return this.store.inspector()
			.saved("q", job)
			.stream()
			.map((value) -> value.name() + "=" + new String(value.value()) + "@"
					+ Duration.between(START, value.savedAt()).toMillis())
			.toList();
	}

	private Claim claimAgain() {
		return claim("w", "q", 1).get(0);
	}

	@Test
	void runningJobSavesValuesByName() {
		Claim claim = enqueueAndClaim("w", "q");
		String id = claim.job().id();
		assertThat(saved(id)).isEmpty();
		assertThat(save(save(claim, "charge", "c1"))).containsExactly(Settled.APPLIED);
		pass(5);
		assertThat(save(save(claim, "b", "x"), save(claim, "a", ""), save(claim, "b", "y")))
			.containsExactly(Settled.APPLIED, Settled.APPLIED, Settled.APPLIED);
		assertThat(saved(id)).containsExactly("charge=c1@0", "a=@5", "b=y@5");
		pass(5);
		save(save(claim, "charge", "c2"));
		assertThat(saved(id)).containsExactly("a=@5", "b=y@5", "charge=c2@10");
	}

	@Test
	void saveUnderAnOldTokenSavesNothing() {
		Claim claim = enqueueAndClaim("w", "q");
		save(save(claim, "a", "1"));
		settle(Transition.scheduled(claim, this.now, failed(claim)));
		assertThat(save(save(claim, "a", "2"))).containsExactly(Settled.GONE);
		Claim next = claimAgain();
		assertThat(save(save(claim, "a", "3"), save(next, "b", "1"), save(claim, "c", "3")))
			.containsExactly(Settled.LOST, Settled.APPLIED, Settled.LOST);
		assertThat(saved(claim.job().id())).containsExactly("a=1@0", "b=1@0");
	}

	@Test
	void saveThatIsRepeatedIsApplied() {
		Claim claim = enqueueAndClaim("w", "q");
		assertThat(save(save(claim, "a", "1"))).containsExactly(Settled.APPLIED);
		assertThat(save(save(claim, "a", "1"))).containsExactly(Settled.APPLIED);
		assertThat(saved(claim.job().id())).containsExactly("a=1@0");
	}

	@Test
	void savesOfJobsThatDoNotExistAreGone() {
		assertThat(save(new Save("no-such-job", "q", 7, "a", new byte[1]))).containsExactly(Settled.GONE);
		assertThat(saved("no-such-job")).isEmpty();
	}

	@Test
	void savedValuesAreBytesUnderAnyName() {
		Claim claim = enqueueAndClaim("w", "q");
		byte[] bytes = new byte[1_000_000];
		new Random(7).nextBytes(bytes);
		String name = "a: Zürich/%'\"\\\u20ac";
		this.store.save(List.of(new Save(claim.job().id(), "q", claim.token(), name, bytes)), this.now);
		assertThat(this.store.inspector().saved("q", claim.job().id())).singleElement().satisfies((saved) -> {
			assertThat(saved.name()).isEqualTo(name);
			assertThat(saved.value()).isEqualTo(bytes);
		});
	}

	@Test
	void namesAreTheSameOnlyIfAllTheirCharactersAre() {
		Claim claim = enqueueAndClaim("w", "q");
		List<String> names = List.of("charge", "Charge", "charge ", " charge", "chargé", "charge\u0301", "", " ",
				"\ud83d\ude80", "x".repeat(300), "\ud83d\ude80".repeat(150));
		names.forEach((name) -> assertThat(save(save(claim, name, name))).containsExactly(Settled.APPLIED));
		assertThat(this.store.inspector().saved("q", claim.job().id()))
			.allSatisfy((saved) -> assertThat(new String(saved.value())).isEqualTo(saved.name()))
			.extracting(SavedView::name)
			.containsExactlyInAnyOrderElementsOf(names);
	}

	@Test
	void jobHasThousandsOfValues() {
		Claim claim = enqueueAndClaim("w", "q");
		IntStream.range(0, 20)
			.forEach((i) -> this.store.save(
					IntStream.range(0, 100).mapToObj((n) -> save(claim, "name-" + (100 * i + n), "v")).toList(),
					this.now));
		assertThat(this.store.inspector().saved("q", claim.job().id())).extracting(SavedView::name)
			.doesNotHaveDuplicates()
			.hasSize(2000);
	}

	@Test
	void valuesStayThroughRetriesAndDeath() {
		Claim claim = enqueueAndClaim("w", "q");
		String id = claim.job().id();
		save(save(claim, "a", "1"));
		settle(Transition.scheduled(claim, this.now, failed(claim)).withSaved());
		assertThat(saved(id)).containsExactly("a=1@0");
		claim = claimAgain();
		settle(Transition.released(claim, this.now, claim.job().trail()).withSaved());
		assertThat(saved(id)).containsExactly("a=1@0");
		claim = claimAgain();
		settle(Transition.dead(claim, this.now, failed(claim)).withSaved());
		assertThat(saved(id)).containsExactly("a=1@0");
		change(new Change.Retry(id));
		assertThat(claimAgain().job().id()).isEqualTo(id);
		assertThat(saved(id)).containsExactly("a=1@0");
	}

	@Test
	void valuesGoWithTheJob() {
		List<String> ids = enqueue(jobs("q", 5)).stream().map((enqueued) -> enqueued.id()).toList();
		register("w", "q");
		List<Claim> claims = claim("w", "q", 5);
		claims.forEach((claim) -> save(save(claim, "a", "1")));
		settle(Transition.removed(claims.get(0), this.now).withSaved());
		settle(Transition.kept(claims.get(1), this.now, failed(claims.get(1))).withSaved());
		settle(Transition.cancelled(claims.get(2), this.now, failed(claims.get(2))).withSaved());
		settle(Transition.dead(claims.get(3), this.now, failed(claims.get(3))).withSaved());
		change(new Change.Delete(ids.get(3)));
		settle(Transition.scheduled(claims.get(4), after(10), failed(claims.get(4))).withSaved());
		change(new Change.Cancel(ids.get(4)));
		assertThat(ids).allSatisfy((id) -> assertThat(saved(id)).isEmpty());
	}

	@Test
	void valuesOfAJobThatWasPrunedAreGone() {
		Claim claim = enqueueAndClaim("w", "q");
		save(save(claim, "a", "1"));
		settle(Transition.dead(claim, this.now, failed(claim)).withSaved());
		pass(10);
		this.store.prune(new PruneRequest(this.now, 0, null, 0, null, null, 100, this.now));
		assertThat(saved(claim.job().id())).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(value = Unique.OnDuplicate.class, mode = EnumSource.Mode.EXCLUDE, names = "KEEP")
	void valuesGoWhenAnotherPayloadReplacesThatOfTheJob(Unique.OnDuplicate rule) {
		register("w", "q");
		String id = enqueue(with(job("q"), key(rule))).id();
		Claim claim = claim("w", "q", 1).get(0);
		save(save(claim, "a", "1"));
		settle(Transition.scheduled(claim, after(10), failed(claim)).withSaved());
		assertThat(enqueue(with(job("q"), key(rule))).id()).isEqualTo(id);
		assertThat(saved(id)).isEmpty();
	}

	@Test
	void valuesGoWhenAnOperatorReplacesThePayload() {
		Claim claim = enqueueAndClaim("w", "q");
		save(save(claim, "a", "1"));
		settle(Transition.scheduled(claim, this.now, failed(claim)).withSaved());
		byte[] payload = "payload of another".getBytes();
		assertThat(change(new Change.ReplacePayload(claim.job().id(), payload))).isEqualTo(Changed.DONE);
		assertThat(saved(claim.job().id())).isEmpty();
	}

	@Test
	void valuesAreForgottenOneByOneWhileTheJobDoesNotRun() {
		Claim claim = enqueueAndClaim("w", "q");
		String id = claim.job().id();
		save(save(claim, "a", "1"), save(claim, "b", "2"));
		assertThat(change(new Change.ForgetSaved(id, "a"))).isEqualTo(Changed.REFUSED);
		settle(Transition.dead(claim, this.now, failed(claim)).withSaved());
		assertThat(change(new Change.ForgetSaved(id, "a"))).isEqualTo(Changed.DONE);
		assertThat(change(new Change.ForgetSaved(id, "a"))).isEqualTo(Changed.NOT_FOUND);
		assertThat(change(new Change.ForgetSaved("no-such-job", "b"))).isEqualTo(Changed.NOT_FOUND);
		assertThat(saved(id)).containsExactly("b=2@0");
	}

	@Test
	void takeOverSeesAllThatWasSavedAndNothingIsSavedAfterIt() {
		Claim claim = enqueueAndClaim("w", "q");
		save(save(claim, "a", "1"));
		leave("w");
		register("x", "q");
		Claim taken = takeOver("x", 1, "q").claims().get(0);
		assertThat(saved(taken.job().id())).containsExactly("a=1@0");
		assertThat(save(save(claim, "b", "late"))).containsExactly(Settled.LOST);
		assertThat(save(save(taken, "b", "2"))).containsExactly(Settled.APPLIED);
		assertThat(saved(taken.job().id())).containsExactly("a=1@0", "b=2@0");
	}

	@Test
	void purgeRemovesValues() {
		Claim claim = enqueueAndClaim("w", "q");
		save(save(claim, "a", "1"));
		settle(Transition.dead(claim, this.now, failed(claim)).withSaved());
		change(new Change.Purge());
		assertThat(saved(claim.job().id())).isEmpty();
	}

}
