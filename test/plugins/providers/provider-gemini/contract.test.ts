import { wireContract } from 'svc/sdk/testing'
import { test } from 'vitest'
import type { SseService } from '../../../support/sse-service.ts'
import { wireSetup } from '../../../support/wire-setup.ts'
import { at, serve } from './ask.ts'

const kind = {
  model: 'gemini-2.5-flash',
  usage: { promptTokenCount: 113, cachedContentTokenCount: 100, candidatesTokenCount: 40 },
}

for (const { name, run } of wireContract(() =>
  wireSetup(
    kind,
    (reply) => serve({ replies: reply }),
    ({ url }: SseService) => at(url),
  ),
))
  test(`Gemini behind the contract of wires: ${name}`, run)
