package dev.jobs.docs.migrate;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.UniqueJob;

import org.springframework.stereotype.Component;

@Component
class FromQuartz {

	final List<String> shops = new ArrayList<>();

	@JobHandler(value = "settle-shop", maxAttempts = 5)
	void settle(SettleShop wish) {
		this.shops.add(wish.shop());
	}

	@JobType("settle-shop")
	@UniqueJob
	record SettleShop(String shop) {

	}

}
