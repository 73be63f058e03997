/** Wires the interface: the service for transports, and the command for standard input and output. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { Rpc, RpcMethods } from 'svc/sdk/web'
import { rpcCommand } from './cli.ts'
import { Connection } from './connection.ts'
import { programMethods, sharedMethods } from './program-methods.ts'
import { sessionMethods } from './session-methods.ts'
import { turnMethods } from './turn-methods.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(Rpc, () => ({
      connect: (transport) =>
        new Connection(ctx, transport, (connection) => [
          ...sessionMethods(ctx, connection),
          ...turnMethods(connection),
          ...programMethods(ctx, connection),
        ]),
    }))
    for (const method of sharedMethods(ctx)) ctx.add(RpcMethods, method)
    ctx.add(CliCommands, rpcCommand(ctx))
  },
})
