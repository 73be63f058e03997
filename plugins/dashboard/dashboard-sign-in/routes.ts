/** The routes below `/api/providers/oauth`: each starts a sign-in, answers it, or tells how it stands. */
import { Clock, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Credentials } from 'svc/sdk/provider'
import { type SignInAttempt, type SignInState, SignIns } from 'svc/sdk/sign-in'
import { findFlow, getKind, listProviders } from './catalog.ts'
import * as schemas from './schemas.ts'

const BASE = '/api/providers/oauth'

export function signInRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: BASE,
      summary: 'The providers that a person can sign in to, and who is signed in',
      response: schemas.providers,
      handle: () => listProviders(ctx),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: `${BASE}/:id/start`,
      summary: 'Starts a sign-in: what to open or to enter',
      body: schemas.start,
      response: schemas.started,
      handle: ({ params, body, signal }) => start(ctx, params['id'] ?? '', body.label, signal),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: `${BASE}/:id/submit`,
      summary: 'Gives the code that the service showed, as code#state',
      body: schemas.submit,
      response: schemas.submitted,
      handle: ({ params, body, signal }) => submit(ctx, params['id'] ?? '', body, signal),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: `${BASE}/:id/poll/:session`,
      summary: 'How a sign-in stands',
      response: schemas.polled,
      handle: ({ params }) => toPolled(findAttempt(ctx, params['session'] ?? '', params['id'])),
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: `${BASE}/sessions/:session`,
      summary: 'Ends a sign-in that is under way',
      response: schemas.cancelled,
      handle: ({ params }) => cancel(ctx, params['session'] ?? ''),
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: `${BASE}/:id`,
      summary: 'Signs out of a provider; can be restored within a day',
      response: schemas.disconnected,
      handle: ({ params }) => disconnect(ctx, params['id'] ?? ''),
    }),
  ]
}

async function start(ctx: PluginContext<undefined>, id: string, label: string | undefined, signal: AbortSignal) {
  const flow = findFlow(ctx, id)
  if (getKind(flow) === 'external') throw external(id, flow.command)
  const attempt = ctx.use(SignIns).start(flow.name, label === undefined ? {} : { label })
  try {
    let { state } = attempt
    while (state.status === 'pending' && state.step === undefined) state = await attempt.changed(state, signal)
    return toStarted(ctx, attempt, state)
  } catch (error) {
    attempt.cancel()
    throw error
  }
}

function toStarted(ctx: PluginContext<undefined>, attempt: SignInAttempt, { step, message, status }: SignInState) {
  const session_id = attempt.id
  if (status !== 'pending' || !step || step.kind === 'run-command')
    throw new SvcError('DASHBOARD_SIGN_IN_FAILED', message ?? 'The sign-in did not begin.', { status: 502 })
  const expires_in = Math.max(0, Math.round((step.expiresAt - ctx.use(Clock).now()) / 1000))
  if (step.kind === 'open-url')
    return { session_id, flow: 'pkce' as const, auth_url: step.url, returns: step.returns, expires_in }
  const { code, url, completeUrl, intervalMs } = step
  return {
    session_id,
    flow: 'device_code' as const,
    user_code: code,
    verification_url: url,
    ...(completeUrl === undefined ? {} : { verification_url_complete: completeUrl }),
    expires_in,
    poll_interval: Math.ceil(intervalMs / 1000),
  }
}

async function submit(
  ctx: PluginContext<undefined>,
  id: string,
  { session_id, code }: { readonly session_id: string; readonly code: string },
  signal: AbortSignal,
) {
  const attempt = findAttempt(ctx, session_id, id)
  if (attempt.state.status === 'pending' && attempt.state.prompt === undefined)
    throw new SvcError('DASHBOARD_SIGN_IN_KIND', 'This sign-in takes no pasted code.', { status: 400 })
  const { status, message } = attempt.state.status === 'pending' ? await attempt.submit(code, signal) : attempt.state
  if (status === 'approved') return { ok: true, status: 'approved' as const }
  return { ok: false, status: 'error' as const, message: message ?? 'The sign-in has ended. Begin again.' }
}

function toPolled({ id, expiresAt, state }: SignInAttempt) {
  const { status, message } = state
  const isWire = status === 'pending' || status === 'approved' || status === 'denied' || status === 'expired'
  return {
    session_id: id,
    status: isWire ? status : ('error' as const),
    error_message: status === 'pending' || status === 'approved' ? null : (message ?? 'The sign-in was cancelled.'),
    expires_at: expiresAt,
  }
}

function cancel(ctx: PluginContext<undefined>, session: string) {
  const attempt = ctx.use(SignIns).find(session)
  if (attempt?.state.status !== 'pending') return { ok: false, message: 'No such sign-in is under way.' }
  attempt.cancel()
  return { ok: true, session_id: session }
}

async function disconnect(ctx: PluginContext<undefined>, id: string) {
  const flow = findFlow(ctx, id)
  const credentials = ctx.use(Credentials)
  const kept = (await credentials.list(flow.provider)).filter(({ type }) => type === 'oauth')
  if (kept.length === 0 && getKind(flow) === 'external') throw external(id, flow.command)
  const ids = kept.map((key) => key.id)
  if (ids.length > 0) await credentials.remove(flow.provider, ids)
  return { ok: true, provider: flow.provider }
}

/** Throws `DASHBOARD_SIGN_IN_SESSION`: 404, or 400 for one of another provider. */
function findAttempt(ctx: PluginContext<undefined>, session: string, id: string | undefined): SignInAttempt {
  const attempt = ctx.use(SignIns).find(session)
  if (!attempt)
    throw new SvcError('DASHBOARD_SIGN_IN_SESSION', 'There is no such sign-in, or its time is over.', { status: 404 })
  if (id !== attempt.provider && id !== attempt.flow)
    throw new SvcError('DASHBOARD_SIGN_IN_SESSION', `That sign-in is one of ${attempt.provider}.`, { status: 400 })
  return attempt
}

function external(id: string, command: string | undefined): SvcError {
  const how = command === undefined ? 'who this machine is at the cloud' : `\`${command}\` in a shell`
  return new SvcError('DASHBOARD_SIGN_IN_EXTERNAL', `Another program signs in to ${id}: ${how}.`, { status: 400 })
}
