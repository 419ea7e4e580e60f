package dev.jobs.sample;

import dev.jobs.JobType;

/**
 * The wish for a small picture of an article.
 *
 * @param article the article
 * @param width how wide it should be
 */
@JobType(value = "resize-image", maxWaiting = 100)
record ResizeImage(String article, int width) {

}
