/** What Rocket.Chat answers (developer.rocket.chat/apidocs). */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import type { SendFault } from 'svc/sdk/platform'

export function ok(more: object = {}): ServiceAnswer {
  return { body: { ...more, success: true } }
}

export function wrong(error: string, status = 400): ServiceAnswer {
  return { status, body: { success: false, error } }
}

export function unauthorized(): ServiceAnswer {
  return { status: 401, body: { status: 'error', message: 'You must be logged in to do this.' } }
}

/** Undefined for a fault after which the message is taken. */
export function answerFault(fault: SendFault | undefined): ServiceAnswer | undefined {
  if (fault === 'busy') {
    const error = 'Error, too many requests. Please slow down. You must wait 1 seconds. [error-too-many-requests]'
    const now = Math.floor(Date.now() / 1000) * 1000
    const headers = { date: new Date(now).toUTCString(), 'x-ratelimit-reset': String(now + 1000) }
    return { status: 429, headers, body: { success: false, error } }
  }
  if (fault === 'unavailable') return { status: 503, body: '<html>bad gateway</html>' }
  if (fault === 'forbidden') return wrong('error-not-allowed')
  return fault === 'lost' ? 'cut' : undefined
}
