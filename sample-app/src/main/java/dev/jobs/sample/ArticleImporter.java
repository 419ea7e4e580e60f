package dev.jobs.sample;

import java.util.concurrent.TimeUnit;

import dev.jobs.Cursor;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import org.springframework.stereotype.Component;

/**
 * Imports articles one by one, which takes a while. When the application stops, the job
 * is given back, and the next process continues where it was.
 */
@Component
class ArticleImporter {

	private final Shop shop;

	ArticleImporter(Shop shop) {
		this.shop = shop;
	}

	@JobHandler
	JobResult importArticles(ImportArticles wish, JobContext context) throws InterruptedException {
		Cursor<Integer> imported = context.cursor("imported", Integer.class, 0);
		while (imported.get() < wish.articles()) {
			if (context.shouldYield()) {
				return JobResult.yield();
			}
			TimeUnit.MILLISECONDS.sleep(50);
			int article = imported.get() + 1;
			this.shop.add(wish.supplier() + " " + article);
			imported.moveTo(article);
			context.progress(article, wish.articles());
		}
		return JobResult.done();
	}

}
