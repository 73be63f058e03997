/** A dashboard with a session that works in a folder of its own. */
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { type Desk, type DeskOptions, openDashboard } from '../dashboard/desk.ts'

export interface Workshop extends Desk {
  readonly work: string
  readonly outside: string
  readonly session: string
  readonly clock: ReturnType<typeof virtualClock>
  /** A request with the session in its query. */
  of(path: string, query?: Readonly<Record<string, string>>): ReturnType<Desk['ask']>
  announce(path: string, size: number, overwrite?: boolean): ReturnType<Desk['ask']>
  piece(id: string, offset: number, bytes: string): Promise<{ status: number; json: Record<string, unknown> }>
}

/** A session that works in a folder with some files, beside a folder with a secret. */
export async function openWorkshop(options: Pick<DeskOptions, 'setup'> = {}): Promise<Workshop> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-test-')))
  const [work, outside] = [join(folder, 'work'), join(folder, 'outside')]
  for (const each of [join(work, 'src'), outside]) mkdirSync(each, { recursive: true })
  writeFileSync(join(work, 'notes.txt'), 'one\ntwö\n')
  writeFileSync(join(work, 'src/main.ts'), 'export {}\n')
  writeFileSync(join(outside, 'secret.txt'), 'hidden')
  symlinkSync(outside, join(work, 'way-out'))
  symlinkSync(join(outside, 'secret.txt'), join(work, 'link.txt'))
  const clock = virtualClock()
  const desk = await openDashboard({ plugins: ['dashboard-workspace', 'sessions'], clock, ...options })
  const session = desk.kernel.use(Sessions).create({ surface: 'cli', cwd: work }).id
  return {
    ...{ ...desk, work, outside, session, clock },
    of: (path, query = {}) => desk.ask('GET', `${path}?${new URLSearchParams({ session, ...query })}`),
    announce: (path, size, overwrite = false) =>
      desk.ask('POST', '/api/files/uploads', { body: { session, path, size, overwrite } }),
    async piece(id, offset, bytes) {
      const reply = await fetch(`${desk.url}/api/files/uploads/${id}?offset=${offset}`, {
        method: 'PUT',
        headers: { 'x-svc-session-token': desk.token, 'content-type': 'application/octet-stream' },
        body: bytes,
      })
      return { status: reply.status, json: (await reply.json()) as Record<string, unknown> }
    },
  }
}
