package dev.jobs.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Ports for servers that cannot choose one themselves or have to come back on the same. A
 * port is bound here until this JVM ends, so that nobody else gets it, neither before the
 * server has it nor while the server is down; whoever connects then is refused. The
 * server may bind it as well, as both allow that it is used again. Where a system does
 * not let them, it is only looked for.
 */
public final class Ports {

	private static final boolean SHARED = System.getProperty("os.name").equals("Linux");

	private static final Queue<Socket> HELD = new ConcurrentLinkedQueue<>();

	private Ports() {
	}

	/**
	 * Reserve a port of the loopback interface.
	 * @return the port
	 */
	public static int reserve() {
		try {
			return bind(0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Reserve a port and the one that comes a number of ports after it.
	 * @param distance the number
	 * @return the first port
	 */
	public static int reserveTwo(int distance) {
		while (true) {
			int port = reserve();
			try {
				bind(port + distance);
				return port;
			}
			catch (IOException | IllegalArgumentException ex) {
				// Another one, then.
			}
		}
	}

	private static int bind(int port) throws IOException {
		Socket holder = new Socket();
		try {
			holder.setReuseAddress(true);
			holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return holder.getLocalPort();
		}
		finally {
			if (SHARED && holder.isBound()) {
				HELD.add(holder);
			}
			else {
				holder.close();
			}
		}
	}

}
