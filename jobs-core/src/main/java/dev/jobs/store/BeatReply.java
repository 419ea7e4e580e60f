package dev.jobs.store;

import java.time.Instant;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What a store knows of a worker that sent a beat.
 *
 * @param openTokens the tokens under which the worker holds jobs; what it runs under any
 * other, older one is lost
 * @param cancelled the ids of jobs it holds that an operator asked to end
 * @param serverTime the store's own time, or {@code null} if it has none
 */
public record BeatReply(Set<Long> openTokens, Set<String> cancelled, @Nullable Instant serverTime) {

}
