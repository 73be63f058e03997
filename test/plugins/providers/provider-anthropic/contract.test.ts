import { wireContract } from 'svc/sdk/testing'
import { test } from 'vitest'
import type { SseService } from '../../../support/sse-service.ts'
import { wireSetup } from '../../../support/wire-setup.ts'
import { at, serve } from './ask.ts'

const kind = {
  model: 'claude-sonnet-4-5',
  usage: { input_tokens: 3, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 40 },
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
  test(`Anthropic behind the contract of wires: ${name}`, run)
