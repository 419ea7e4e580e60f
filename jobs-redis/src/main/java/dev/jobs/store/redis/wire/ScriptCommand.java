package dev.jobs.store.redis.wire;

import java.util.List;

import dev.jobs.JobStoreException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * An {@code EVALSHA} or {@code EVAL} that notices if the driver sends it again after a
 * lost connection, as it does on a cluster. Then the script may have run each time, and
 * only the last reply is known.
 */
final class ScriptCommand extends AsyncCommand<byte[], byte[], List<Object>> {

	private final Output output;

	ScriptCommand(CommandType type, byte[] script, byte[][] keys, byte[][] values) {
		this(type, new Output(), script, keys, values);
	}

	private ScriptCommand(CommandType type, Output output, byte[] script, byte[][] keys, byte[][] values) {
		super(new Command<>(type, output,
				new CommandArgs<>(ByteArrayCodec.INSTANCE).add(script)
					.add(keys.length)
					.addKeys(keys)
					.addValues(values)));
		this.output = output;
	}

	@Override
	public void encode(ByteBuf buffer) {
		this.output.sendings++;
		super.encode(buffer);
	}

	boolean isSentOnce() {
		return this.output.sendings <= 1;
	}

	/**
	 * Throw if the call was sent again, because its outcome is unknown then.
	 */
	void requireSentOnce(@Nullable JobStoreException fault) {
		if (!isSentOnce()) {
			throw new JobStoreException("The connection to Redis was lost during the call", fault, true);
		}
	}

	private static final class Output extends NestedMultiOutput<byte[], byte[]> {

		private volatile int sendings;

		Output() {
			super(ByteArrayCodec.INSTANCE);
		}

		/**
		 * Do not count a send that another cluster node redirected: the driver withdraws
		 * the error before it follows.
		 */
		@Override
		public void setError(@Nullable String error) {
			if (error == null) {
				this.sendings = 0;
			}
			super.setError(error);
		}

	}

}
