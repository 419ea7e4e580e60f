package dev.jobs.autoconfigure.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Speaks TLS on behalf of a server that may have been built without it, with a key of its
 * own that nobody knows.
 */
final class TlsEntrance implements AutoCloseable {

	static final String PASSWORD = "changeit";

	private final ServerSocket entrance;

	private final int serverPort;

	private final Path keys;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	TlsEntrance(Path directory, int serverPort) throws Exception {
		this.serverPort = serverPort;
		this.keys = makeKeys(directory);
		this.entrance = context().getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
		start(this::accept);
	}

	int port() {
		return this.entrance.getLocalPort();
	}

	/**
	 * Return the store of the key and its certificate, which may be trusted.
	 */
	Path keys() {
		return this.keys;
	}

	private static Path makeKeys(Path directory) throws IOException, InterruptedException {
		Path keys = directory.resolve("keys.p12");
		Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
		Process process = new ProcessBuilder(keytool.toString(), "-genkeypair", "-alias", "redis", "-keyalg", "EC",
				"-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1,dns:localhost", "-storetype", "PKCS12",
				"-storepass", PASSWORD, "-keystore", keys.toString())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes());
		if (process.waitFor() != 0) {
			throw new IOException(output);
		}
		return keys;
	}

	private SSLContext context() throws IOException, GeneralSecurityException {
		KeyStore store = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(this.keys)) {
			store.load(in, PASSWORD.toCharArray());
		}
		KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		managers.init(store, PASSWORD.toCharArray());
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(managers.getKeyManagers(), null, null);
		return context;
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.entrance.accept();
			Socket server = new Socket(InetAddress.getLoopbackAddress(), this.serverPort);
			this.sockets.addAll(List.of(client, server));
			start(() -> pass(client, server));
			start(() -> pass(server, client));
		}
	}

	private void pass(Socket from, Socket to) throws IOException {
		try (from; to) {
			from.getInputStream().transferTo(to.getOutputStream());
		}
	}

	private static void start(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (IOException ex) {
				// a side has hung up
			}
		}, "tls-entrance");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.entrance.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	@FunctionalInterface
	private interface Work {

		void run() throws IOException;

	}

}
