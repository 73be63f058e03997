/** Wires the interface: the service for transports, and the command for standard input and output. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { Rpc, RpcMethods } from 'svc/sdk/web'
import { rpcCommand } from './cli.ts'
import { Connection } from './connection.ts'
import { OpenSessions } from './open-sessions.ts'
import { programMethods, sharedMethods } from './program-methods.ts'
import { sessionMethods } from './session-methods.ts'
import { turnMethods } from './turn-methods.ts'

export default definePlugin({
  setup(ctx) {
    const sessions = new OpenSessions(ctx)
    ctx.defer(() => sessions.close())
    ctx.provide(Rpc, () => ({
      connect: (transport) => {
        const connection = new Connection(ctx, transport, sessions, (own) => [
          ...sessionMethods(ctx, own),
          ...turnMethods(own),
          ...programMethods(ctx, own),
        ])
        // Another plugin gets the members of an object, not those of its class.
        return {
          receive: (message) => connection.receive(message),
          reject: (reason) => connection.reject(reason),
          finish: () => connection.finish(),
          close: () => connection.close(),
          [Symbol.asyncDispose]: () => connection.close(),
        }
      },
    }))
    for (const method of sharedMethods(ctx)) ctx.add(RpcMethods, method)
    ctx.add(CliCommands, rpcCommand(ctx))
  },
})
