package dev.jobs.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/**
 * Stands between a client and a server, passes on what the client sends, and can keep the
 * server's replies to itself or falsify them.
 */
final class ReplyProxy implements AutoCloseable {

	private final ServerSocket entrance;

	private final int serverPort;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	private volatile boolean swallowing;

	private volatile UnaryOperator<String> falsification = UnaryOperator.identity();

	ReplyProxy(int serverPort) {
		try {
			this.serverPort = serverPort;
			this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
			start(this::accept);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.entrance.getLocalPort();
	}

	/**
	 * Keep replies from now on, or pass them on again. Kept ones stay lost.
	 */
	void swallow(boolean swallowing) {
		this.swallowing = swallowing;
	}

	/**
	 * Change replies from now on. Their length must stay.
	 */
	void falsify(UnaryOperator<String> falsification) {
		this.falsification = falsification;
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.entrance.accept();
			Socket server = new Socket(InetAddress.getLoopbackAddress(), this.serverPort);
			this.sockets.addAll(List.of(client, server));
			start(() -> pass(client, server, false));
			start(() -> pass(server, client, true));
		}
	}

	private void pass(Socket from, Socket to, boolean replies) throws IOException {
		try (from; to; InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
			byte[] bytes = new byte[8192];
			for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
				if (!replies) {
					out.write(bytes, 0, count);
				}
				else if (!this.swallowing) {
					String text = new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
					out.write(this.falsification.apply(text).getBytes(StandardCharsets.ISO_8859_1));
				}
			}
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
		}, "reply-proxy");
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
