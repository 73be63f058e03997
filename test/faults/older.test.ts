/** A database is put back from an old copy. Through the built program: nothing goes on silently, and no newer backup is lost. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { DamageHome } from './damage-home.ts'

const LONG = { timeout: 90_000 }
const DATABASES = ['data/sessions/sessions.db', 'data/budgets/budgets.db'] as const

const template = new DamageHome()
await template.svc('config', 'set', 'model.provider', 'demo')
await template.svc('config', 'set', 'budget.account.day.usd', '5')
await template.svc('chat', '-q', 'note one')
const early = await template.conversations()
for (const file of DATABASES)
  copyFileSync(join(template.home, file), join(template.home, `work/${file.replaceAll('/', '_')}`))
await template.svc('chat', '-q', 'note two')
const all = await template.conversations()
// As the backup of the day does it.
for (const file of DATABASES) copyFileSync(join(template.home, file), join(template.home, `${file}.backup`))

afterAll(() => template.close())

/** A copy of the home in which one database is the old one. */
async function rolledBack<T>(file: string, work: (home: DamageHome) => Promise<T>): Promise<T> {
  const home = new DamageHome(template)
  try {
    copyFileSync(join(home.home, `work/${file.replaceAll('/', '_')}`), join(home.home, file))
    return await work(home)
  } finally {
    home.close()
  }
}

test('the home has a conversation that its old copy does not have', () => {
  expect(early).toHaveLength(1)
  expect(all).toEqual(expect.arrayContaining([...early]))
  expect(all).toHaveLength(2)
})

describe.each(DATABASES)('%s from an old copy', (file) => {
  test('is said at each start, with what to do, and nothing is changed', LONG, async () => {
    await rolledBack(file, async (home) => {
      const bytes = () => [file, `${file}.backup`].map((each) => readFileSync(join(home.home, each)).toString('base64'))
      const before = bytes()
      for (let start = 0; start < 2; start++) {
        const { code, text } = await home.svc('chat', '-q', 'hello')
        expect({ code, text }).toMatchObject({ code: 1, text: expect.stringContaining('STORAGE_OLDER') })
        expect(text).toContain(join(home.home, file))
        expect(text).toContain('svc storage restore')
        expect(text).toContain('svc storage accept')
        expect(text).not.toMatch(/\n\s+at .*[:(]\d+/)
      }
      expect(bytes()).toEqual(before)
      expect((await home.svc('storage')).text).toMatch(/OLDER than its backup/)
    })
  })

  test('is replaced by its newer backup when someone says so, and kept', LONG, async () => {
    await rolledBack(file, async (home) => {
      const { code, text } = await home.svc('storage', 'restore')
      expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('older file is kept as') })
      expect(await home.svc('chat', '-q', 'hello')).toMatchObject({ code: 0 })
      expect(await home.conversations()).toEqual(expect.arrayContaining([...all]))
      expect(namesIn(home, file).filter((name) => name.includes('.older-'))).toHaveLength(1)
    })
  })

  test('is used when someone accepts it, and its newer backup is kept', LONG, async () => {
    await rolledBack(file, async (home) => {
      const newer = readFileSync(join(home.home, `${file}.backup`))
      expect(await home.svc('storage', 'accept', file)).toMatchObject({ code: 0 })
      expect(await home.svc('chat', '-q', 'hello')).toMatchObject({ code: 0 })
      expect(await home.conversations()).toEqual(expect.arrayContaining([...early]))
      const [kept = ''] = namesIn(home, file).filter((name) => name.includes('.newer-'))
      expect(readFileSync(join(home.home, dirname(file), kept)).equals(newer)).toBe(true)
    })
  })
})

test('a whole home that is brought back is used as it is', LONG, async () => {
  const old = new DamageHome(template)
  try {
    await old.svc('chat', '-q', 'note three')
    const back = new DamageHome(template)
    try {
      expect(await back.svc('chat', '-q', 'hello')).toMatchObject({ code: 0 })
    } finally {
      back.close()
    }
  } finally {
    old.close()
  }
})

function namesIn({ home }: DamageHome, file: string): readonly string[] {
  return readdirSync(dirname(join(home, file)))
}
