package dev.jobs.sample;

/**
 * What a carrier asks for a parcel.
 *
 * @param carrier the carrier
 * @param cents the price
 */
record Quote(String carrier, long cents) {

}
