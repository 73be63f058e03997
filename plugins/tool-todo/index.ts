/** Wires the plan tool. Its database is opened when the tool is first used, and closed by the storage. */
import { join } from 'node:path'
import { Clock, definePlugin, Storage, Tools } from 'svc/sdk'
import type { TodoStore } from './store.ts'
import { todoTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    let store: Promise<TodoStore> | undefined
    const open = async () => {
      const { openTodos } = await import('./store.ts')
      return openTodos(ctx.use(Storage), ctx.use(Clock), join(ctx.dataDir, 'todo.db'))
    }
    const opened = () => {
      store ??= open().catch((error: unknown) => {
        store = undefined
        throw error
      })
      return store
    }
    ctx.add(Tools, todoTool(opened))
    ctx.defer(async () => (await store)?.close())
  },
})
