/** The clients that are connected to this process. */
import type { PluginContext } from 'svc/sdk'
import type { McpClient, McpClients } from 'svc/sdk/mcp'
import { Skills } from 'svc/sdk/skills'
import type { Connected } from './protocol.ts'

/** Contract: `McpClients` of the SDK. */
export class ConnectedClients implements McpClients {
  readonly #connected = new Set<Connected>()

  list(): readonly McpClient[] {
    return [...this.#connected].map((each) => each.client())
  }

  changed(list: 'tools' | 'prompts' | 'resources'): void {
    for (const { server, failed } of this.#connected) {
      const told =
        list === 'tools'
          ? server.sendToolListChanged()
          : list === 'prompts'
            ? server.sendPromptListChanged()
            : server.sendResourceListChanged()
      told.catch(failed)
    }
  }

  /** Until its connection is closed. */
  add(connected: Connected): void {
    const { server } = connected
    this.#connected.add(connected)
    const { onclose } = server
    server.onclose = () => {
      this.#connected.delete(connected)
      onclose?.()
    }
  }
}

/** Skills are prompts and resources. */
export function followSkills(ctx: PluginContext<unknown>, clients: ConnectedClients): void {
  ctx.find(Skills)?.onChange(() => {
    clients.changed('prompts')
    clients.changed('resources')
  })
}
