package kotlin.coroutines;

/**
 * Stands for what the compiler of Kotlin makes the last parameter of a suspend function.
 *
 * @param <T> what the function returns
 */
public interface Continuation<T> {

}
