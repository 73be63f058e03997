import { expect, test } from 'vitest'
import { testBackend } from '../../../../support/web-backend.ts'
import { createPage, puzzle, through } from './page.ts'

const stage = testBackend({
  plugin: 'web-duckduckgo',
  name: 'duckduckgo',
  code: 'DUCKDUCKGO_FAILED',
  error: (message) => JSON.stringify({ message }),
  nothing: createPage([]),
  reply: ({ method, path, body }) => {
    if (method !== 'POST' || path !== '/html/') return { status: 404, body: 'not here' }
    const query = new URLSearchParams(body).get('q')
    const result = (word: string) => ({
      title: `${query} &amp; <b>${word}</b>`,
      href: through(`https://${word}.example/?a=1&b=2`),
      snippet: `They&#x27;re <b>${query}</b>.`,
    })
    const ad = { ...result('ad'), isAd: true }
    return {
      headers: { 'content-type': 'text/html; charset=UTF-8' },
      body: createPage([ad, ...['one', 'two', 'three'].map(result)]),
    }
  },
  hits: [
    { title: 'cats & one', url: 'https://one.example/?a=1&b=2', snippet: "They're cats." },
    { title: 'cats & two', url: 'https://two.example/?a=1&b=2', snippet: "They're cats." },
  ],
})

test('the puzzle that DuckDuckGo shows to robots is a failure, whatever its status', async () => {
  const { signal } = new AbortController()
  for (const status of [200, 202]) {
    stage().fake.fault = { status, headers: { 'content-type': 'text/html' }, body: puzzle }
    await expect(stage().backend.search?.('cats', { limit: 1, signal })).rejects.toThrow('takes us for a robot')
  }
})
