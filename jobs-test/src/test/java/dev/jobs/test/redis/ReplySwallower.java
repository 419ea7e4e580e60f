package dev.jobs.test.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands between a client and a server, passes on what the client sends, and can keep the
 * server's replies to itself.
 */
final class ReplySwallower implements AutoCloseable {

	private final ServerSocket entrance;

	private final int serverPort;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	private volatile boolean swallowing;

	ReplySwallower(int serverPort) {
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
				if (!(replies && this.swallowing)) {
					out.write(bytes, 0, count);
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
		}, "reply-swallower");
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
