package dev.jobs.sample;

import dev.jobs.JobLane;
import dev.jobs.JobType;

/**
 * The wish for a small picture of an article. Articles take turns, however many pictures
 * one of them needs.
 *
 * @param article the article
 * @param width how wide it should be
 */
@JobType(value = "resize-image", maxWaiting = 100)
record ResizeImage(@JobLane String article, int width) {

}
