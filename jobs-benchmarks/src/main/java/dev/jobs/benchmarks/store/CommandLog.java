package dev.jobs.benchmarks.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;

/**
 * Counts the commands that a Redis runs, apart from each other those that clients send
 * and those that scripts call. It reads what MONITOR reports, since the server's own
 * counters do not keep them apart.
 */
final class CommandLog implements Stores.Watch {

	static final String SENT = "commands";

	static final String IN_SCRIPTS = "in scripts";

	private final AtomicLong sent = new AtomicLong();

	private final AtomicLong inScripts = new AtomicLong();

	private final Socket socket;

	CommandLog(RedisURI uri) {
		try {
			this.socket = new Socket(uri.getHost(), uri.getPort());
			BufferedReader lines = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.ISO_8859_1));
			logIn(uri, lines);
			call(lines, "MONITOR");
			Thread reader = new Thread(() -> lines.lines().forEach(this::count), "command-log");
			reader.setDaemon(true);
			reader.setUncaughtExceptionHandler((thread, ex) -> {
				// The socket was closed.
			});
			reader.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void logIn(RedisURI uri, BufferedReader lines) throws IOException {
		RedisCredentials credentials = uri.getCredentialsProvider().resolveCredentials().block();
		if (credentials != null && credentials.hasPassword()) {
			String user = credentials.hasUsername() ? credentials.getUsername() + " " : "";
			call(lines, "AUTH " + user + new String(credentials.getPassword()));
		}
	}

	private void call(BufferedReader lines, String command) throws IOException {
		this.socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
		String reply = lines.readLine();
		if (!"+OK".equals(reply)) {
			throw new IOException("Redis says to " + command.split(" ")[0] + ": " + reply);
		}
	}

	/** A line is {@code +<time> [<database> <address or lua>] "<command>" ...}. */
	private void count(String line) {
		int source = line.indexOf(']');
		if (source > 0) {
			(line.startsWith(" lua", source - " lua".length()) ? this.inScripts : this.sent).incrementAndGet();
		}
	}

	@Override
	public Map<String, Long> counts() {
		return Map.of(SENT, this.sent.get(), IN_SCRIPTS, this.inScripts.get());
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
