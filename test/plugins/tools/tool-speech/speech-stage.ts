/** A kernel with the tools that speak and listen, a fake service, and someone who keeps the money. */
import { type ToolResult, Tools, type Usage } from 'svc/sdk'
import { type BudgetScope, Budgets } from 'svc/sdk/safety'
import { fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { mp3, ogg, wav } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { startWebFake, type WebAnswer, type WebRequest } from '../../../support/web-fake.ts'

export const KEY = 'sk-0123456789abcdef0123'

/** What a test is about. */
export interface StageOptions {
  readonly reply?: (request: WebRequest) => WebAnswer
  /** The block `speech`, given the address of the fake. */
  readonly speech?: (url: string) => object
  readonly env?: Readonly<Record<string, string>>
}

/** Answers as OpenAI, Groq and ElevenLabs do. */
export function speaking({ path, body, query }: WebRequest): WebAnswer {
  if (path.endsWith('/audio/transcriptions'))
    return {
      body: JSON.stringify({ text: ' Hello there. ', usage: { type: 'tokens', input_tokens: 14, output_tokens: 3 } }),
    }
  const { response_format: format = query.get('output_format')?.split('_')[0] } = JSON.parse(body)
  const sounds = { mp3: mp3(), wav: wav([1, 2]), opus: ogg() }
  return { headers: { 'content-type': 'audio/mpeg' }, body: sounds[format as keyof typeof sounds] }
}

/** The running parts. */
export async function stage({ reply = speaking, speech = openai, env = { OPENAI_API_KEY: KEY } }: StageOptions = {}) {
  const fake = await startWebFake(reply)
  onTestFinished(() => fake.close())
  const spent: (BudgetScope & { settled?: Usage; released?: boolean })[] = []
  const reserve = (spender: BudgetScope) => {
    const entry: (typeof spent)[number] = { ...spender }
    spent.push(entry)
    const settle = (usage: Usage) => {
      entry.settled ??= usage
      return usage
    }
    const release = () => {
      entry.released = entry.settled === undefined
    }
    return { settle, release }
  }
  const kernel = await testKernel({
    plugins: ['tool-speech'],
    env: { PATH: '/nowhere', ...env },
    config: { speech: speech(fake.url), plugins: { disabled: ['budgets'] } },
    with: [
      {
        name: 'fake-budgets',
        provides: ['budgets'],
        setup: (ctx) =>
          void ctx.provide(
            Budgets,
            () => ({ hold: async (...asked: Parameters<typeof reserve>) => reserve(...asked) }) as unknown as Budgets,
          ),
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const folder = temporaryFolder()
  const findTool = (name: string) => {
    const tool = kernel.all(Tools).get(name)
    if (!tool) throw new Error(`no tool ${name}: ${JSON.stringify(kernel.problems())}`)
    return tool
  }
  const run = async (name: string, input: object, signal = new AbortController().signal) =>
    (await findTool(name).run(input, fakeToolTurn({ cwd: folder, signal }))) as ToolResult
  const failure = (name: string, input: object) =>
    run(name, input).then(
      () => 'no failure',
      (error: Error & { code: string }) => `${error.code}: ${error.message}`,
    )
  return {
    ...{ fake, kernel, folder, spent, failure, findTool },
    speak: (input: object, signal?: AbortSignal) => run('text_to_speech', input, signal),
    listen: (path: string, signal?: AbortSignal) => run('transcribe', { path }, signal),
  }
}

function openai(url: string): object {
  return { openai: { base_url: `${url}/v1/` } }
}
