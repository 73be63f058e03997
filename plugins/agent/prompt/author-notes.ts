/** Keeps beside each prompt who wrote what in it, under the hash of its text. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type PluginContext, Random, Sessions, type TurnContext } from 'svc/sdk'
import type { Config } from './config.ts'
import { locate, type Stretch } from './locate-authors.ts'
import { partTexts } from './prompt-parts.ts'

/** Sessions of one day and folder share one record. */
const MAX_RECORDS = 500

/** Notes the prompt of a session unless that was done, as it was for `known`. Returns the prompt. */
export async function notePrompt(
  ctx: PluginContext<Config>,
  at: TurnContext,
  known?: string,
): Promise<string | undefined> {
  const session = ctx.use(Sessions).open(at.sessionId)
  const prompt = session.systemPrompt()
  if (!prompt || prompt === known || (await readRecord(ctx, prompt))) return prompt
  const stretches = locate(prompt, await partTexts(ctx, at))
  await mkdir(ctx.dataDir, { recursive: true, mode: 0o700 })
  await makeRoom(ctx.dataDir)
  const file = recordFile(ctx, prompt)
  const temporary = `${file}.${ctx.use(Random).hex(4)}.tmp`
  await writeFile(temporary, JSON.stringify(stretches), { mode: 0o600 })
  await rename(temporary, file)
  return prompt
}

/** Who wrote what in this prompt, if that was noted and can be read. */
export async function readRecord(ctx: PluginContext<Config>, prompt: string): Promise<readonly Stretch[] | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(recordFile(ctx, prompt), 'utf8'))
    return Array.isArray(value) ? (value as readonly Stretch[]) : undefined
  } catch (error) {
    // A record that was cut by a crash is useless and is rewritten.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function recordFile(ctx: PluginContext<Config>, prompt: string): string {
  return join(ctx.dataDir, `${createHash('sha256').update(prompt).digest('hex').slice(0, 32)}.json`)
}

/** Removes the oldest tenth once there are too many. */
async function makeRoom(folder: string): Promise<void> {
  // Other files in the folder are not records.
  const names = (await readdir(folder)).filter((name) => /^[0-9a-f]{32}\.json$/.test(name))
  if (names.length < MAX_RECORDS) return
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  )
  const oldest = aged.sort((a, b) => a.at - b.at).slice(0, MAX_RECORDS / 10)
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })))
}
