/** Sessions: those that the program has open, and those that are stored. */
import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import {
  type ConversationSettings,
  type Message,
  type PluginContext,
  type SessionSummary,
  Sessions,
  SvcError,
} from 'svc/sdk'
import { Compaction } from 'svc/sdk/sessions'
import { defineRpcMethod, type RpcMethod } from 'svc/sdk/web'
import { z } from 'zod'
import type { Connection } from './connection.ts'
import type { OpenSession } from './open-sessions.ts'
import {
  activeResult,
  compressedResult,
  eventsResult,
  messageResult,
  openedResult,
  summaryResult,
  usageResult,
} from './results.ts'

type Context = PluginContext<undefined>

const id = z.string().min(1).max(200)
const inSession = z.object({ session_id: id })
const LEVELS = ['none', 'low', 'medium', 'high', 'xhigh'] as const
const MAX_LISTED = 1000
const MAX_EVENTS = 1000
const MAX_KEYS = 100

export function sessionMethods(ctx: Context, connection: Connection): RpcMethod[] {
  return [...openMethods(ctx, connection), ...storedMethods(ctx, connection), ...changeMethods(ctx, connection)]
}

function openMethods(ctx: Context, connection: Connection): RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'session.create',
      summary: 'Begins a session and opens it; it is stored from its first message on',
      params: z.object({
        cwd: z.string().optional(),
        title: z.string().max(500).optional(),
        model: z.string().optional(),
        provider: z.string().optional(),
        reasoning_effort: z.enum(LEVELS).optional(),
        toolsets: z.array(z.string()).optional(),
        system_prompt: z.string().optional(),
      }),
      result: openedResult,
      async run(params) {
        const cwd = await checkFolder(params.cwd ?? connection.cwd)
        const open = connection.open({ cwd, settings: toSettings(params) })
        if (params.title !== undefined) ctx.use(Sessions).rename(open.conversation.sessionId, params.title)
        return describe(ctx, open)
      },
    }),
    defineRpcMethod({
      name: 'session.resume',
      summary:
        'Opens a stored session; a turn that a crash left behind is finished. With after, the seq of the last event that the ' +
        'caller has, messages are left out (resumed) and the later events are told, if all of them are of the newest turn; otherwise ' +
        'those of the turn at work. cursor is the place up to which the caller then has everything; taken says what became of messages by their ' +
        'keys, as in prompt.submit',
      params: inSession.extend({
        after: z.number().int().min(0).optional(),
        keys: z.array(id).max(MAX_KEYS).optional(),
      }),
      result: openedResult,
      run({ session_id: storedId, after, keys = [] }) {
        const { cwd } = ctx.use(Sessions).summary(storedId)
        const open = connection.open({ cwd, sessionId: storedId, ...(after !== undefined && { after }) })
        const taken = keys.flatMap((key) => {
          const state = open.keys.find(key)
          return state ? [[key, state] as const] : []
        })
        const described = { ...describe(ctx, open), ...(keys.length > 0 && { taken: Object.fromEntries(taken) }) }
        if (after === undefined || !open.canResume(after)) return described
        return { ...described, messages: [], resumed: true as const, cursor: after }
      },
    }),
    defineRpcMethod({
      name: 'session.active_list',
      summary: 'The sessions that this connection has open, in the order in which they were opened',
      result: activeResult,
      run: () => ({
        sessions: connection.sessions.map((open) => ({
          ...summarize(ctx.use(Sessions).summary(open.conversation.sessionId)),
          ...identify(open),
          status: getStatus(open),
          started_at: open.startedAt,
        })),
      }),
    }),
    defineRpcMethod({
      name: 'session.close',
      summary: 'Closes an open session; its turn is stopped, and it stays stored',
      params: inSession,
      result: z.object({ closed: z.boolean() }),
      async run({ session_id }) {
        await connection.leave(session_id)
        return { closed: true }
      },
    }),
  ]
}

function storedMethods(ctx: Context, connection: Connection): RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'session.list',
      summary: 'Stored sessions, the one used last first',
      params: z.object({ limit: z.number().int().min(1).max(MAX_LISTED).default(200), cwd: z.string().optional() }),
      result: z.object({ sessions: z.array(summaryResult) }),
      run: ({ limit, cwd }) => ({
        sessions: ctx
          .use(Sessions)
          .list({ limit, ...(cwd !== undefined && { cwd }) })
          .map(summarize),
      }),
    }),
    defineRpcMethod({
      name: 'session.most_recent',
      summary: 'The stored session that was used last',
      params: z.object({ cwd: z.string().optional() }),
      result: z.union([summaryResult, z.object({ id: z.null() })]),
      run({ cwd }) {
        const last = ctx.use(Sessions).latest(cwd === undefined ? {} : { cwd })
        return last ? summarize(last) : { id: null }
      },
    }),
    defineRpcMethod({
      name: 'session.delete',
      summary: 'Removes a stored session that is not open here; a copy stays for a month',
      params: inSession,
      result: z.object({ deleted: z.boolean() }),
      isSlow: true,
      async run({ session_id: storedId }) {
        if (connection.find(storedId))
          throw new SvcError('RPC_SESSION_OPEN', 'The session is open on this connection. Close it first.')
        const { removed } = await ctx.use(Sessions).remove([storedId])
        return { deleted: removed.length > 0 }
      },
    }),
    defineRpcMethod({
      name: 'session.history',
      summary: 'The messages of an open session',
      params: inSession,
      result: z.object({ count: z.number(), messages: z.array(messageResult) }),
      run({ session_id }) {
        const messages = readMessages(ctx, connection.session(session_id))
        return { count: messages.length, messages }
      },
    }),
    defineRpcMethod({
      name: 'session.events',
      summary: 'The recorded events of an open session after a place, for a program that was away',
      params: inSession.extend({ after: z.number().int().min(0).default(0) }),
      result: eventsResult,
      run({ session_id, after }) {
        const { conversation } = connection.session(session_id)
        const events = ctx.use(Sessions).open(conversation.sessionId).events(after)
        return { events: events.slice(0, MAX_EVENTS), more: events.length > MAX_EVENTS }
      },
    }),
    defineRpcMethod({
      name: 'session.usage',
      summary: 'What the model calls of an open session took so far',
      params: inSession,
      result: usageResult,
      run: ({ session_id }) => ctx.use(Sessions).summary(connection.session(session_id).conversation.sessionId).usage,
    }),
  ]
}

function changeMethods(ctx: Context, connection: Connection): RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'session.title',
      summary: 'Reads or sets the title of an open session',
      params: inSession.extend({ title: z.string().max(500).optional() }),
      result: z.object({ title: z.string().nullable(), session_key: z.string() }),
      run({ session_id, title }) {
        const { sessionId } = connection.session(session_id).conversation
        if (title !== undefined) ctx.use(Sessions).rename(sessionId, title)
        return { title: ctx.use(Sessions).summary(sessionId).title ?? null, session_key: sessionId }
      },
    }),
    defineRpcMethod({
      name: 'session.branch',
      summary: 'Opens a new session that begins with the messages of an open one',
      params: inSession.extend({ name: z.string().max(500).optional(), at: z.number().int().min(1).optional() }),
      result: openedResult.extend({ parent: z.string() }),
      run({ session_id, name, at }) {
        const { conversation } = connection.session(session_id)
        const branch = ctx.use(Sessions).branch(conversation.sessionId, at === undefined ? {} : { at })
        if (name !== undefined) ctx.use(Sessions).rename(branch.id, name)
        const open = connection.open({ cwd: branch.cwd, sessionId: branch.id })
        return { ...describe(ctx, open), parent: conversation.sessionId }
      },
    }),
    defineRpcMethod({
      name: 'session.compress',
      summary: 'Summarizes the older messages of an open session',
      params: inSession.extend({ focus_topic: z.string().optional() }),
      result: compressedResult,
      isSlow: true,
      async run({ session_id, focus_topic: focus }, { signal }) {
        const session = connection.session(session_id)
        await connection.settled(session)
        const { conversation } = session
        const done = await ctx
          .use(Compaction)
          .compress(conversation.sessionId, { signal, ...(focus !== undefined && { focus }) })
        conversation.touched()
        return {
          before_messages: done.messagesBefore,
          after_messages: done.messagesAfter,
          before_tokens: done.tokensBefore,
          after_tokens: done.tokensAfter,
          summary: done.summary,
        }
      },
    }),
    defineRpcMethod({
      name: 'session.interrupt',
      summary: 'Stops the turn of an open session; its queued messages are dropped and its questions denied',
      params: inSession,
      result: z.object({ status: z.enum(['interrupted', 'idle']) }),
      run({ session_id }) {
        const session = connection.session(session_id)
        const { conversation } = session
        for (const message of conversation.queue) conversation.unqueue(message.id)
        session.questions.drop()
        return { status: conversation.stop() ? 'interrupted' : 'idle' }
      },
    }),
  ]
}

async function checkFolder(cwd: string): Promise<string> {
  const isFolder = isAbsolute(cwd) && (await stat(cwd).catch(() => undefined))?.isDirectory()
  if (isFolder) return cwd
  throw new SvcError('RPC_FOLDER', `"${cwd.slice(0, 200)}" is not a folder. Name one that exists, as an absolute path.`)
}

function toSettings(params: {
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly reasoning_effort?: ConversationSettings['reasoning'] | undefined
  readonly toolsets?: readonly string[] | undefined
  readonly system_prompt?: string | undefined
}): ConversationSettings {
  const { model, provider, reasoning_effort: reasoning, toolsets, system_prompt: systemPrompt } = params
  const given = { model, provider, reasoning, toolsets, systemPrompt }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function getStatus({ id: session, conversation, questions }: OpenSession) {
  const waits = ['approval.request', 'clarify.request', 'secret.request'].some(
    (kind) => questions.list(kind, session).length > 0,
  )
  if (waits) return 'waiting' as const
  return conversation.busy ? ('working' as const) : ('idle' as const)
}

function identify({ id: session, conversation }: OpenSession) {
  return { session_id: session, session_key: conversation.sessionId, stored_session_id: conversation.sessionId }
}

function describe(ctx: Context, open: OpenSession): z.infer<typeof openedResult> {
  const messages = readMessages(ctx, open, open.findTurnStart()?.turnId)
  const { model, provider } = open.conversation.settings
  const failure = open.findFailure()
  const info = { cwd: open.conversation.cwd, ...(model !== undefined && { model }), ...(provider && { provider }) }
  return {
    ...identify(open),
    message_count: messages.length,
    messages,
    info,
    running: open.conversation.busy,
    cursor: open.shownUpTo,
    questions: open.questions.open().map(({ payload }) => payload.request_id),
    ...(failure && { failure }),
  }
}

function summarize({ id: storedId, title, cwd, surface, createdAt, updatedAt, messageCount }: SessionSummary) {
  return {
    id: storedId,
    title: title ?? null,
    cwd,
    source: surface,
    started_at: createdAt,
    last_active: updatedAt,
    message_count: messageCount,
  }
}

/**
 * Flattened for display: not the format of a model service. Of a turn at work only what the user said: the rest of it is told by
 * events.
 */
function readMessages(ctx: Context, { conversation }: OpenSession, atWork?: string): z.infer<typeof messageResult>[] {
  const { sessionId } = conversation
  const entries = ctx.use(Sessions).open(sessionId).entries()
  const recorded = atWork === undefined ? [] : [...ctx.use(Sessions).read(sessionId).messages()]
  const count = recorded.filter(({ turnId }) => turnId === atWork).length
  const from = entries.length - count
  return entries
    .filter(({ message }, index) => index < from || message.role === 'user')
    .map(({ message, at }) => ({ role: message.role, text: message.text, ...getDetails(message), timestamp: at }))
}

function getDetails(message: Message): Partial<z.infer<typeof messageResult>> {
  if (message.role === 'tool') return { tool_id: message.callId, ...(message.failed && { failed: true }) }
  if (message.role !== 'assistant') return {}
  const { reasoning, toolCalls } = message
  return { ...(reasoning && { reasoning }), ...(toolCalls?.length && { tool_calls: toolCalls }) }
}
