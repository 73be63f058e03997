/** Messages to the agent, and answers to its questions. */
import type { ApprovalChoice, ImageContent } from 'svc/sdk'
import { defineRpcMethod, type RpcMethod } from 'svc/sdk/web'
import { z } from 'zod'
import type { Connection } from './connection.ts'

const id = z.string().min(1).max(200)
const answered = z.object({ status: z.literal('ok') })
const picture = z.object({ media_type: z.string().regex(/^image\//), data: z.base64() })
const CHOICES = ['once', 'session', 'project', 'always', 'deny'] as const satisfies readonly ApprovalChoice[]

export function turnMethods(connection: Connection): RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'prompt.submit',
      summary:
        'Sends a message, once for each key; what comes of it is told by events, the last of which is message.complete. One that ' +
        'was taken before is known, and its state is recorded, waiting or dropped',
      params: z.object({
        session_id: id,
        text: z.string(),
        images: z.array(picture).max(20).optional(),
        when_busy: z.enum(['interrupt', 'queue', 'steer']).optional(),
        key: id.optional(),
      }),
      result: z.object({ status: z.enum(['streaming', 'queued', 'steered', 'known']), state: z.unknown().optional() }),
      run({ session_id, text, images, when_busy: whenBusy, key }) {
        const session = connection.session(session_id)
        const { conversation } = session
        const state = key === undefined ? undefined : session.keys.find(key)
        if (state !== undefined) return { status: 'known' as const, state }
        connection.requireTurns(conversation)
        if (key !== undefined) session.keys.take(key)
        const [wasBusy, waited] = [conversation.busy, conversation.queue.length]
        conversation.send(text, {
          ...(images && { images: images.map(toImage) }),
          ...(whenBusy && { whenBusy }),
          ...(key !== undefined && { key }),
        })
        if (!wasBusy) return { status: 'streaming' as const }
        if (conversation.queue.length > waited) return { status: 'queued' as const }
        if (key !== undefined) session.keys.steer(key)
        return { status: 'steered' as const }
      },
    }),
    defineRpcMethod({
      name: 'session.steer',
      summary: 'Adds a text to the running turn',
      params: z.object({ session_id: id, text: z.string().min(1) }),
      result: z.object({ status: z.enum(['queued', 'rejected']), text: z.string() }),
      run({ session_id, text }) {
        const conversation = connection.conversation(session_id)
        if (!conversation.busy) return { status: 'rejected', text }
        conversation.send(text, { whenBusy: 'steer' })
        return { status: 'queued', text }
      },
    }),
    ...answerMethods(connection),
  ]
}

function answerMethods(connection: Connection): RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'approval.respond',
      summary: 'Answers an approval.request: the one named, the oldest of the session, or with "all" every one',
      params: z.object({
        session_id: id,
        request_id: id.optional(),
        choice: z.enum(CHOICES),
        all: z.boolean().default(false),
      }),
      result: z.object({ resolved: z.number() }),
      run({ session_id, request_id, choice, all }) {
        const { id: session, questions } = connection.session(session_id)
        const pending = questions.list('approval.request', session)
        const named = request_id === undefined ? pending.slice(0, all ? undefined : 1) : [request_id]
        for (const each of named) questions.answer('approval.request', each, choice)
        return { resolved: named.length }
      },
    }),
    defineRpcMethod({
      name: 'clarify.respond',
      summary: 'Answers a clarify.request',
      params: z.object({ request_id: id, answer: z.string() }),
      result: answered,
      run({ request_id, answer }) {
        connection.questions(request_id).answer('clarify.request', request_id, answer)
        return { status: 'ok' }
      },
    }),
    defineRpcMethod({
      name: 'secret.respond',
      summary: 'Answers a secret.request; an empty value skips it',
      params: z.object({ request_id: id, value: z.string() }),
      result: answered,
      run({ request_id, value }) {
        connection.questions(request_id).answer('secret.request', request_id, value === '' ? undefined : value)
        return { status: 'ok' }
      },
    }),
  ]
}

function toImage({ media_type: mediaType, data }: z.infer<typeof picture>): ImageContent {
  return { mediaType, data }
}
