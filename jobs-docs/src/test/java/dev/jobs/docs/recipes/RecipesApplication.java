package dev.jobs.docs.recipes;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class RecipesApplication {

}
