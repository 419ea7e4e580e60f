package dev.jobs.store.contract.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A network between an application and its server that fails on demand.
 */
public final class TcpProxy implements AutoCloseable {

	private final Socket reserved = reserve();

	private final int port = this.reserved.getLocalPort();

	private final int target;

	private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

	private final AtomicInteger swallowed = new AtomicInteger();

	private volatile @Nullable ServerSocket acceptor;

	private volatile boolean stalled;

	private volatile long replyDelayNanos;

	private volatile boolean trickling;

	private volatile @Nullable String swallowing;

	public TcpProxy(int target) {
		this.target = target;
		accept();
	}

	/**
	 * Bind a port, so that nobody else has it while no connections are accepted. The
	 * socket that accepts them may bind it as well.
	 */
	static Socket reserve() {
		try {
			Socket holder = new Socket();
			holder.setReuseAddress(true);
			holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			if (!System.getProperty("os.name").equals("Linux")) {
				// Others do not let two sockets have it.
				holder.close();
			}
			return holder;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public int port() {
		return this.port;
	}

	public URI uri() {
		return URI.create("redis://127.0.0.1:" + this.port);
	}

	/**
	 * Cut all connections; new ones may be made.
	 */
	public void cut() {
		this.connections.forEach(Connection::close);
	}

	/**
	 * Cut all connections and refuse new ones.
	 */
	public void refuse() {
		ServerSocket open = this.acceptor;
		this.acceptor = null;
		close(open);
		cut();
	}

	/**
	 * Let no byte through any more; new connections are made but are silent too.
	 */
	public void stall() {
		this.stalled = true;
	}

	/**
	 * Let no byte through on the connections there are, for ever, without a sign; new
	 * ones work. So does a firewall that forgot them.
	 */
	public void forgetConnections() {
		this.connections.forEach((connection) -> connection.forgotten = true);
	}

	/**
	 * Let replies come late.
	 * @param delay by how much
	 */
	public void slow(Duration delay) {
		this.replyDelayNanos = delay.toNanos();
	}

	/**
	 * Let replies come byte by byte.
	 */
	public void trickle() {
		this.trickling = true;
	}

	/**
	 * Pass the next request that contains a text on, but cut its connection instead of
	 * passing on the reply.
	 */
	public void swallowReplyTo(String text) {
		this.swallowing = text;
	}

	/**
	 * Return how many replies were swallowed.
	 */
	public int swallowed() {
		return this.swallowed.get();
	}

	/**
	 * Do all as it should be from now on, except what is forgotten.
	 */
	public void heal() {
		this.replyDelayNanos = 0;
		this.trickling = false;
		this.swallowing = null;
		synchronized (this) {
			this.stalled = false;
			notifyAll();
		}
		if (this.acceptor == null) {
			accept();
		}
	}

	@Override
	public void close() {
		heal();
		refuse();
		close(this.reserved);
	}

	private void accept() {
		try {
			ServerSocket opened = new ServerSocket();
			opened.setReuseAddress(true);
			opened.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port));
			this.acceptor = opened;
			start("accept", () -> {
				while (true) {
					connect(opened.accept());
				}
			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void connect(Socket client) throws IOException {
		Socket server = new Socket();
		try {
			server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.target));
		}
		catch (IOException ex) {
			close(client);
			return;
		}
		client.setTcpNoDelay(true);
		server.setTcpNoDelay(true);
		Connection connection = new Connection(client, server);
		this.connections.add(connection);
		if (this.acceptor == null) {
			connection.close();
			return;
		}
		start("requests", connection::passRequests);
		start("replies", connection::passReplies);
	}

	private void awaitPassage(Connection connection) throws IOException {
		synchronized (this) {
			try {
				while (this.stalled || (connection.forgotten && !connection.client.isClosed())) {
					wait(100);
				}
			}
			catch (InterruptedException ex) {
				throw new IOException(ex);
			}
		}
	}

	private static void start(String name, Passage passage) {
		Thread thread = new Thread(() -> {
			try {
				passage.run();
			}
			catch (IOException ex) {
				// This is how a connection ends.
			}
		}, "proxy-" + name);
		thread.setDaemon(true);
		thread.start();
	}

	static void close(@Nullable AutoCloseable socket) {
		try {
			if (socket != null) {
				socket.close();
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@FunctionalInterface
	private interface Passage {

		void run() throws IOException;

	}

	private final class Connection {

		private final Socket client;

		private final Socket server;

		private volatile boolean forgotten;

		private volatile boolean swallows;

		Connection(Socket client, Socket server) {
			this.client = client;
			this.server = server;
		}

		void close() {
			TcpProxy.this.connections.remove(this);
			TcpProxy.close(this.client);
			TcpProxy.close(this.server);
		}

		void passRequests() throws IOException {
			pass(this.client.getInputStream(), this.server.getOutputStream(), false);
		}

		void passReplies() throws IOException {
			pass(this.server.getInputStream(), this.client.getOutputStream(), true);
		}

		private void pass(InputStream from, OutputStream to, boolean replies) throws IOException {
			byte[] buffer = new byte[1 << 16];
			try (from; to) {
				for (int length = from.read(buffer); length >= 0; length = from.read(buffer)) {
					awaitPassage(this);
					if (replies) {
						reply(to, buffer, length);
					}
					else {
						look(buffer, length);
						to.write(buffer, 0, length);
					}
				}
			}
			finally {
				close();
			}
		}

		private void look(byte[] buffer, int length) {
			String awaited = TcpProxy.this.swallowing;
			if (awaited != null && new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(awaited)) {
				TcpProxy.this.swallowing = null;
				this.swallows = true;
			}
		}

		private void reply(OutputStream to, byte[] buffer, int length) throws IOException {
			if (this.swallows) {
				TcpProxy.this.swallowed.incrementAndGet();
				throw new IOException("The reply is swallowed");
			}
			long delay = TcpProxy.this.replyDelayNanos;
			for (long end = System.nanoTime() + delay; delay > 0; delay = end - System.nanoTime()) {
				LockSupport.parkNanos(delay);
			}
			int most = TcpProxy.this.trickling ? 1 : length;
			for (int from = 0; from < length; from += most) {
				to.write(buffer, from, most);
			}
		}

	}

}
