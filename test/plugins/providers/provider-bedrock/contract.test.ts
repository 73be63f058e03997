import { wireContract } from 'svc/sdk/testing'
import { test } from 'vitest'
import type { SseService } from '../../../support/sse-service.ts'
import { wireSetup } from '../../../support/wire-setup.ts'
import { at, serve } from './ask.ts'

const kind = {
  model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  usage: { inputTokens: 3, cacheWriteInputTokens: 10, cacheReadInputTokens: 100, outputTokens: 40 },
  answer: { reasoning: 'Hm.', redacted: 'c2VhbGVk' },
  carried: 'c2VhbGVk',
}

for (const { name, run } of wireContract(() =>
  wireSetup(
    kind,
    (reply) => serve({ replies: reply }),
    ({ url }: SseService) => at(url),
  ),
))
  test(`Bedrock behind the contract of wires: ${name}`, run)
