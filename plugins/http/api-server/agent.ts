/** The service for plugins that add routes: sessions by their holders, and turns in them. */
import { Random, Secrets, type SessionSummary, Sessions } from 'svc/sdk'
import type { SessionFilter } from 'svc/sdk/sessions'
import type { ApiAgent } from 'svc/sdk/web'
import type { Api } from './api.ts'
import { isInteractive } from './client-questions.ts'
import { readHistory, readMessages } from './input.ts'
import { inputItems } from './input-items.ts'
import { toQuestionEvent } from './question-format.ts'
import { createReading } from './session-chain.ts'
import { readTurnSettings } from './turn-settings.ts'

/** Sessions that are read together, where not all of them may be visible. */
const PAGE = 200

/** Works from the start of the server on; before it no route is asked. */
export function apiAgent(server: () => Api): ApiAgent {
  return {
    sessions: (filter, scope) => visible(server(), filter, scope),
    check: (sessionId, scope) => server().places.check(sessionId, scope),
    activeRuns: () => server().runs.active,
    create: (sessionId, { instructions = '', history = [], title, scope }) =>
      server().places.create(sessionId, { system: instructions, history, scope, ...(title && { title }) }),
    branch: (sessionId, options) => server().places.branch(sessionId, options),
    instructions: (sessionId) => server().store.instructions(sessionId),
    items: (input) => inputItems(input, server().ctx.use(Random)),
    readHistory: (items, field, scope, signal) =>
      items.length === 0 ? Promise.resolve([]) : readHistory(items, field, createReading(server(), scope, signal)),
    isInteractive: ({ http, body }) => isInteractive(http, body),
    toQuestionEvent: (event) => toQuestionEvent(event, (text) => server().ctx.use(Secrets).mask(text)),
    async begin({ sessionId, content, field, instructions = '', model, scope, interactive, signal }) {
      const api = server()
      const { turns, places } = api
      const reading = createReading(api, scope, signal)
      const { text, images } = await readMessages([{ role: 'user', content }], field, reading)
      const settings = await readTurnSettings(api, { model })
      const turn = await turns.begin(
        { text, images, settings, signal, ...(interactive && { answeredBy: scope }) },
        () => places.open(sessionId, instructions, scope),
      )
      return { ...turn, text }
    },
  }
}

function visible({ ctx, store, places }: Api, filter: SessionFilter, scope: string): readonly SessionSummary[] {
  const sessions = ctx.use(Sessions)
  if (!store.hasOwners()) return sessions.list(filter)
  const { offset: from = 0, limit = PAGE, ...meant } = filter
  const seen: SessionSummary[] = []
  for (let offset = 0; seen.length < from + limit; offset += PAGE) {
    const page = sessions.list({ ...meant, offset, limit: PAGE })
    seen.push(...page.filter(({ id }) => places.isOpenTo(id, scope)))
    if (page.length < PAGE) break
  }
  return seen.slice(from, from + limit)
}
