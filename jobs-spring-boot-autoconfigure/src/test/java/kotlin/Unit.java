package kotlin;

/**
 * Stands for what some functions of Kotlin return that return nothing.
 */
public final class Unit {

	public static final Unit INSTANCE = new Unit();

	private Unit() {
	}

}
