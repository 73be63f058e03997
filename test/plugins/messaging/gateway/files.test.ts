/** Files that tools make reach the chat with the answer: once, as one message, and nothing that may not leave. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool, type ResultFile, Tools } from 'svc/sdk'
import type { fakeProvider } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from './stage.ts'

type Script = Parameters<typeof fakeProvider>[0]

const limits = { files: 1_000_000, album: 10 }

/** A tool that attaches what it is asked for. */
function maker(files: (asked: string) => readonly ResultFile[]) {
  return {
    name: 'maker',
    contributes: { tools: ['make'] },
    setup: (ctx: { add(point: typeof Tools, item: ReturnType<typeof defineTool>): unknown }) => {
      ctx.add(
        Tools,
        defineTool({
          ...{ name: 'make', description: 'Make.', effect: 'once', toolset: 'test', reach: 'nothing' },
          input: z.object({ what: z.string() }),
          run: async ({ what }) => ({ text: `made ${what}`, files: files(what) }),
        }),
      )
    },
  } as never
}

const make = (...things: readonly string[]) => ({ calls: things.map((what) => ({ name: 'make', input: { what } })) })

/** A folder of the user, and a story whose tool attaches files of it. */
async function studio(script: Script, options: Parameters<typeof stage>[1] = {}) {
  const folder = temporaryFolder()
  for (const name of ['a.png', 'b.png', 'c.txt']) writeFileSync(join(folder, name), name)
  const tool = maker((asked) =>
    asked.split(' ').map((name) => ({ path: name.startsWith('/') ? name : join(folder, name) })),
  )
  const set = await stage(script, {
    platform: { limits },
    plugins: ['tool-files'],
    ...options,
    with: [tool, ...(options.with ?? [])],
  })
  const arrived = () =>
    set.fake.sent.map(({ text, files = [] }) => (files.length > 0 ? files.map(({ name }) => name) : text))
  return { ...set, folder, arrived }
}

test('what several calls made comes behind the answer, as one message', async () => {
  const { fake, gateway, arrived } = await studio([make('a.png', 'b.png'), 'Here they are.'])
  await fake.say('ada', 'draw')
  await gateway.idle()
  expect(arrived()).toEqual(['Here they are.', ['a.png', 'b.png']])
  expect(Buffer.from((await fake.sent[1]?.files?.[0]?.bytes()) ?? []).toString()).toBe('a.png')
  expect(gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})

test('files come with the message that follows them, and at the end of a turn without more words', async () => {
  const script = [make('a.png'), { text: 'The first.', ...make('b.png') }, make('c.txt'), '[SILENT]']
  const { fake, gateway, arrived } = await studio(script)
  await fake.say('ada', 'draw')
  await gateway.idle()
  expect(arrived()).toEqual(['The first.', ['a.png'], ['b.png', 'c.txt']])
})

/** How many files below the data of the outbox are copies of one that the tool attached. */
const copies = (home: string, text: string) =>
  readdirSync(join(home, 'data/outbox'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1') === text).length

test('a file that is gone when the answer is there was kept before', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const script: Script = (_, call) => (call === 0 ? make('a.png') : { text: 'Done.', gate })
  const { fake, gateway, arrived, folder, kernel } = await studio(script)
  await fake.say('ada', 'draw')
  await expect.poll(() => copies(kernel.home, 'a.png')).toBe(1)
  rmSync(join(folder, 'a.png'))
  release()
  await gateway.idle()
  expect(arrived()).toEqual(['Done.', ['a.png']])
})

test('no secret, no file of svc itself and nothing behind a link leaves, and no path is told', async () => {
  const { fake, gateway, arrived, folder, kernel, said } = await studio((_, call) =>
    call === 0 ? make(`link.txt /etc/shadow ${join(kernel.home, '.env')} .env gone.txt c.txt`) : 'Done.',
  )
  mkdirSync(join(folder, '.ssh'))
  writeFileSync(join(folder, '.ssh', 'id_ed25519'), 'PRIVATE')
  symlinkSync(join(folder, '.ssh', 'id_ed25519'), join(folder, 'link.txt'))
  writeFileSync(join(folder, '.env'), 'KEY=1')
  writeFileSync(join(kernel.home, '.env'), 'KEY=1')
  await fake.say('ada', 'send')
  await gateway.idle()
  expect(arrived().filter((each) => typeof each !== 'string')).toEqual([['c.txt']])
  const told = said().filter((text) => text.includes('could not be attached'))
  expect(told).toHaveLength(5)
  expect(told.join('\n')).not.toContain(folder)
  expect(told.join('\n')).not.toContain(kernel.home)
})

test('where a platform takes no files the person reads that there is one', async () => {
  const { fake, gateway, said } = await studio([make('c.txt'), 'Done.'], { platform: {} })
  await fake.say('ada', 'send')
  await gateway.idle()
  expect(said()).toEqual(['Done.', '📎 c.txt: In-memory chat takes no files.\n\nThe file stays on the machine of svc.'])
})

test('pictures that the model itself draws are attached as well', async () => {
  const image = { mediaType: 'image/png', data: Buffer.from('png').toString('base64') }
  const { fake, gateway, arrived } = await studio([{ text: 'Drawn.', images: [image] }])
  await fake.say('ada', 'draw')
  await gateway.idle()
  expect(arrived()).toEqual(['Drawn.', ['image.png']])
})
