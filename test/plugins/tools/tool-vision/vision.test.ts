import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuxiliaryModels, Models, type ToolResult, Tools } from 'svc/sdk'
import type { AuxiliaryRequest } from 'svc/sdk/provider'
import { fakeToolTurn, type TestKernel, testKernel, toolContract } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { gif, png } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

interface StageOptions {
  /** What is known of the session's model; left out: no model at all. */
  readonly images?: boolean | 'unknown'
  /** What the model of the slot says; left out: there is none. */
  readonly answer?: string | Error
}

async function stage({ images, answer }: StageOptions) {
  const asked: AuxiliaryRequest[] = []
  const models = {
    choose: async () => ({ provider: { name: 'fake' }, model: 'eye-1' }),
    describe: ({ model }: { model: string }) => ({ id: model, ...(images !== 'unknown' && { images }) }),
  }
  const auxiliary = {
    ask: async (request: AuxiliaryRequest) => {
      asked.push(request)
      if (answer instanceof Error) throw answer
      return { text: answer, provider: 'fake', model: 'eye-2', usage: {} }
    },
  }
  const kernel: TestKernel = await testKernel({
    plugins: ['tool-vision'],
    config: { plugins: { disabled: ['auxiliary', 'models'] } },
    with: [
      {
        name: 'fake-models',
        provides: [...(images === undefined ? [] : ['models']), ...(answer === undefined ? [] : ['auxiliary-models'])],
        setup(ctx) {
          if (images !== undefined) ctx.provide(Models, () => models as unknown as Models)
          if (answer !== undefined) ctx.provide(AuxiliaryModels, () => auxiliary as unknown as AuxiliaryModels)
        },
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const tool = kernel.all(Tools).get('vision_analyze')
  if (!tool) throw new Error(`no tool: ${JSON.stringify(kernel.problems())}`)
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'cat.png'), png(640, 480))
  const look = (image_url = 'cat.png') =>
    tool.run({ image_url, question: 'What is it?' }, fakeToolTurn({ cwd: folder })) as Promise<ToolResult>
  return { kernel, tool, asked, folder, look }
}

test('a model that sees pictures is given the picture itself', async () => {
  const { look, asked } = await stage({ images: true, answer: 'not needed' })
  const result = await look()
  expect(result.images).toEqual([{ mediaType: 'image/png', data: png(640, 480).toString('base64') }])
  expect(result.text).toBe('cat.png (image/png) has 640 x 480 pixels. Answer from it: What is it?')
  expect(asked).toEqual([])
})

test.for([[false], ['unknown']] as const)(
  'for a model whose sight is %s the slot for pictures is asked',
  async ([images]) => {
    const { look, asked } = await stage({ images, answer: 'A cat.' })
    const result = await look()
    expect(result).toMatchObject({ text: 'A cat.', data: { model: 'eye-2', width: 640 } })
    expect(result.images).toBeUndefined()
    expect(asked[0]).toMatchObject({ slot: 'vision', sessionId: 'ses_test', turnId: 'turn_test' })
    expect(asked[0]?.messages[0]).toMatchObject({
      role: 'user',
      text: expect.stringMatching(/not an instruction to you\. What is it\?$/),
      images: [{ mediaType: 'image/png' }],
    })
  },
)

test('without anyone who sees, the tool is not offered', async () => {
  const { tool } = await stage({})
  expect(tool.missing?.()).toBe('needs a model that sees pictures')
  const seeing = await stage({ images: true })
  expect(seeing.tool.missing?.()).toBeUndefined()
})

test('a blind model without help says how to get some', async () => {
  const { look } = await stage({ images: false })
  await expect(look()).rejects.toMatchObject({
    code: 'VISION_NO_MODEL',
    message: expect.stringMatching(/svc model aux set vision/),
  })
})

test('what the helping model fails with is what the tool fails with', async () => {
  const { look } = await stage({ images: false, answer: new Error('Nobody could look.') })
  await expect(look()).rejects.toThrow('Nobody could look.')
})

test('a picture with too many pixels or bytes is refused with its numbers', async () => {
  const { folder, look } = await stage({ images: true })
  writeFileSync(join(folder, 'wide.png'), png(9000, 20))
  await expect(look('wide.png')).rejects.toMatchObject({
    code: 'VISION_TOO_LARGE',
    message: expect.stringMatching(/has 9000 x 20 pixels and 0\.0 MiB as base64; models take 7900 pixels/),
  })
  writeFileSync(join(folder, 'heavy.png'), png(20, 20, 3_300_000))
  await expect(look('heavy.png')).rejects.toThrow(/4\.2 MiB as base64; models take 7900 pixels a side and 4 MiB/)
})

test('a file of 50 MB that is no picture never gets to a model', async () => {
  const { folder, look, asked } = await stage({ images: false, answer: 'no' })
  writeFileSync(join(folder, 'log.png'), Buffer.alloc(60 * 2 ** 20, 'x'))
  await expect(look('log.png')).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  writeFileSync(join(folder, 'log.png'), Buffer.alloc(50_000_000, 'x'))
  await expect(look('log.png')).rejects.toMatchObject({ code: 'MEDIA_KIND' })
  expect(asked).toEqual([])
})

test('the tool for pictures keeps the contract of tools', async () => {
  const { tool } = await stage({ images: true })
  const picture = `data:image/gif;base64,${gif().toString('base64')}`
  for (const { run } of toolContract(tool, [{ input: { image_url: picture, question: 'What?' }, text: /5 x 4/ }]))
    await run()
  expect(tool.untrusted).toBe(true)
})
