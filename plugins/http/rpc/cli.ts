/** `svc rpc`: JSON-RPC lines over standard input and output. */
import type { CliCommand, CliContext, PluginContext } from 'svc/sdk'
import { Language, Plugins } from 'svc/sdk/host'
import { Rpc } from 'svc/sdk/web'

/** The longest request: a message with pictures. */
const MAX_LINE = 32 * 2 ** 20

export function rpcCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'rpc',
    description:
      'Speak JSON-RPC 2.0 over standard input and output, one message a line: for editors, desktops and scripts. ' +
      'At the end of the input, running turns are finished.',
    examples: ['rpc', `rpc <<< '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}' | jq -r '.result.methods[].name'`],
    run: (_input, io) => serve(ctx, io),
  }
}

async function serve(ctx: PluginContext<undefined>, io: CliContext): Promise<number> {
  await ctx.use(Plugins).bring(Language)
  const connection = ctx.use(Rpc).connect({ cwd: io.cwd, send: (message) => io.out(`${message}\n`) })
  io.signal.addEventListener('abort', () => void connection.close())
  try {
    for await (const line of io.lines(MAX_LINE)) {
      if (typeof line !== 'string') connection.reject(`The message is over ${MAX_LINE / 2 ** 20} MiB; it was left out.`)
      else if (line.trim() !== '') connection.receive(line)
    }
    await connection.finish()
    return 0
  } finally {
    await connection.close()
  }
}
