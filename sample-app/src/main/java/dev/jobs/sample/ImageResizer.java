package dev.jobs.sample;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Image;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

import javax.imageio.ImageIO;

import dev.jobs.JobHandler;
import org.springframework.stereotype.Component;

/**
 * Makes small pictures of articles. The camera's storage is not always in the mood, so
 * now and then an attempt fails. A width that makes no sense is not tried again.
 */
@Component
class ImageResizer {

	private static final int ORIGINAL_WIDTH = 1600;

	@JobHandler(value = "resize-image", maxAttempts = 5, timeout = "30s", noRetryFor = IllegalArgumentException.class,
			backoff = @JobHandler.RetryDelay(type = "exponential", delay = "2s", maxDelay = "1m", jitter = 0.2))
	void resize(ResizeImage wish) throws IOException {
		if (wish.width() < 1) {
			throw new IllegalArgumentException("A picture is at least 1 wide, not " + wish.width());
		}
		BufferedImage original = load(wish.article());
		int height = original.getHeight() * wish.width() / original.getWidth();
		BufferedImage small = new BufferedImage(wish.width(), height, BufferedImage.TYPE_INT_RGB);
		Graphics2D graphics = small.createGraphics();
		graphics.drawImage(original.getScaledInstance(wish.width(), height, Image.SCALE_SMOOTH), 0, 0, null);
		graphics.dispose();
		ByteArrayOutputStream png = new ByteArrayOutputStream();
		ImageIO.write(small, "png", png);
	}

	private BufferedImage load(String article) throws IOException {
		if (ThreadLocalRandom.current().nextInt(4) == 0) {
			throw new IOException("The picture of " + article + " could not be fetched");
		}
		BufferedImage image = new BufferedImage(ORIGINAL_WIDTH, ORIGINAL_WIDTH * 3 / 4, BufferedImage.TYPE_INT_RGB);
		Graphics2D graphics = image.createGraphics();
		graphics.setColor(new Color(article.hashCode() & 0xFFFFFF));
		graphics.fillOval(0, 0, image.getWidth(), image.getHeight());
		graphics.dispose();
		return image;
	}

}
