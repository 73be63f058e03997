/** A page in the middle of a database is damaged, which opening it does not see: the question that meets it is not lost. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Driver from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { DamageHome } from './damage-home.ts'

const LONG = { timeout: 90_000 }
const PAGE = 4096
const FILE = 'data/sessions/sessions.db'

const template = new DamageHome()
await template.svc('config', 'set', 'model.provider', 'demo')
for (let question = 1; question <= 3; question++)
  await template.svc('chat', '-q', `note ${question} ${'.'.repeat(3000)}`)
copyFileSync(join(template.home, FILE), join(template.home, `${FILE}.backup`))
const before = await template.conversations()

afterAll(() => template.close())

/** A copy of the home in which the first page of a table is noise. */
async function damaged<T>(table: string, work: (home: DamageHome) => Promise<T>): Promise<T> {
  const home = new DamageHome(template)
  try {
    const file = join(home.home, FILE)
    const database = new Driver(file)
    const page = database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck().get(table) as number
    database.close()
    writeFileSync(file, readFileSync(file).fill(0xff, (page - 1) * PAGE, page * PAGE))
    return await work(home)
  } finally {
    home.close()
  }
}

test.for(['sessions', 'events', 'turns', 'messages'])(
  'a question that meets a damaged page of %s is answered at once',
  LONG,
  async (table) => {
    await damaged(table, async (home) => {
      const { code, text } = await home.svc('chat', '-q', 'what is 15% of 80')
      expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('12') })
      expect(text).toContain('was damaged')
      expect(text).toContain('It was replaced by the backup of')
      expect(text).not.toContain('STORAGE_CORRUPT')
      const conversations = await home.conversations()
      expect(conversations).toEqual(expect.arrayContaining([...before]))
      expect(conversations).toHaveLength(before.length + 1)
    })
  },
)

test('the same with -r: the conversation that is continued comes from the backup', LONG, async () => {
  await damaged('sessions', async (home) => {
    expect(await home.svc('chat', '-r', before[0] ?? '', '-q', 'what is 15% of 80')).toMatchObject({ code: 0 })
    expect(await home.conversations()).toHaveLength(before.length)
  })
})

/**
 * A turn is not begun again automatically: the model may have been paid, a tool may have run, and what they brought lies in the
 * damaged file. So the person is told, what was acknowledged before is kept, and the damaged file with it.
 */
test(
  'once the turn has begun it is not asked again, which could be paid twice: the message says what to do, and nothing is lost',
  LONG,
  async () => {
    await damaged('kept_texts', async (home) => {
      const { code, text } = await home.svc('chat', '-q', 'what is 15% of 80')
      expect({ code, text }).toMatchObject({ code: 1, text: expect.stringContaining('Run svc again') })
      expect(text).toContain('STORAGE_CORRUPT')
      const again = await home.svc('chat', '-q', 'what is 15% of 80')
      expect(again).toMatchObject({ code: 0, text: expect.stringContaining('12') })
      const [, kept = ''] = /The damaged file is kept as (\S+?):/.exec(again.text) ?? []
      expect(existsSync(kept)).toBe(true)
      expect(await home.conversations()).toEqual(expect.arrayContaining([...before]))
      for (const [index, id] of before.entries()) {
        const { text: shown } = await home.svc('sessions', 'show', id)
        expect(shown, id).toContain(`note ${before.length - index}`)
      }
    })
  },
)
