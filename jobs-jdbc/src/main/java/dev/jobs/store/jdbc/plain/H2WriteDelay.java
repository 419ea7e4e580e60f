package dev.jobs.store.jdbc.plain;

import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;

/**
 * Makes H2 write a commit to its file at once. By default it does so half a second later,
 * so a killed process would lose what it has acknowledged. The setting holds for all
 * connections, until the file is opened again.
 */
public final class H2WriteDelay {

	private static final Logger logger = LoggerFactory.getLogger(H2WriteDelay.class);

	/**
	 * H2 lists the delay twice, as stored and as in force. The stored one no longer
	 * applies when the file is opened again.
	 */
	private static final String DELAYS = "select count(*) from information_schema.settings "
			+ "where setting_name = 'WRITE_DELAY' and setting_value <> '0'";

	private H2WriteDelay() {
	}

	public static void turnOff(Session session) {
		session.read((statements) -> statements.number(DELAYS) == 0 || turnOff(statements));
	}

	private static boolean turnOff(Statements statements) {
		try {
			statements.execute("set write_delay 0");
			return true;
		}
		catch (DataAccessException ex) {
			logger
				.warn("The user of H2 is no administrator, so H2 writes commits to its file later, and jobs that were "
						+ "accepted in the last moments are lost if the process is killed. Make it an administrator "
						+ "(alter user ... admin true): {}", ErrorText.clean(String.valueOf(ex.getMessage())));
			return false;
		}
	}

}
