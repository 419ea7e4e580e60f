package dev.jobs.build;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Ports}.
 */
class PortsTests {

	private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	@Test
	void noPortIsReservedTwice() {
		Set<Integer> ports = new HashSet<>();
		for (int i = 0; i < 100; i++) {
			assertThat(ports.add(Ports.reserve())).isTrue();
		}
	}

	@Test
	void serverMayBindAReservedPortAgainAndAgainAndIsTheOnlyOneThatListens() throws IOException {
		int port = Ports.reserve();
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket(LOOPBACK, port));
			try (ServerSocket server = new ServerSocket(port, 1, LOOPBACK);
					Socket client = new Socket(LOOPBACK, port)) {
				assertThat(client.getPort()).isEqualTo(server.getLocalPort());
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> new ServerSocket(port, 1, LOOPBACK));
			}
		}
	}

	/** Asks for thousands, so that a collision would show. */
	@Test
	void reservedPortIsGivenToNobodyElse() throws IOException {
		int port = Ports.reserve();
		for (int i = 0; i < 40_000; i++) {
			try (ServerSocket other = new ServerSocket(0, 1, LOOPBACK)) {
				assertThat(other.getLocalPort()).isNotEqualTo(port);
			}
		}
	}

	@Test
	void twoPortsAreReservedAtTheirDistance() throws IOException {
		int port = Ports.reserveTwo(10_000);
		new ServerSocket(port, 1, LOOPBACK).close();
		new ServerSocket(port + 10_000, 1, LOOPBACK).close();
	}

}
