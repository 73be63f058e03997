/** Whether the server that keeps shared tables can be used: for `svc doctor`. */
import { errorMessage, type Logger } from 'svc/sdk'
import type { HealthCheck } from 'svc/sdk/host'
import type { OpenStores } from './store.ts'

export function storeCheck(stores: OpenStores, log: Logger): HealthCheck {
  return {
    name: 'shared-store',
    title: 'Shared store',
    order: 41,
    async check() {
      if (stores.location === 'files') return [{ state: 'ok', text: 'SQLite files of this machine.' }]
      try {
        const server = await stores.server()
        const connection = await server.connect('doctor')
        try {
          await connection.begin('read-committed')
          await connection.run('create temporary table svc_doctor (a integer) on commit drop', [])
          await connection.rollBack()
        } finally {
          connection.giveBack()
        }
        return [{ state: 'ok', text: 'The database server answers and can be written.' }]
      } catch (error) {
        log.warn('The database server cannot be used.', { error })
        return [
          {
            state: 'problem',
            text: errorMessage(error),
            fix: 'Check storage.url, or SVC_STORAGE_URL, and whether the server runs.',
          },
        ]
      }
    },
  }
}
