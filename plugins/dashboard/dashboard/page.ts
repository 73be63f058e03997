/** The page of the web UI: the script that tells it where it is and how it proves itself, and the policy for what it loads. */
import type { HttpResponse } from 'svc/sdk/web'

export interface PageFacts {
  /** What the policy lets one script run by; new for each page. */
  readonly nonce: string
  /** Undefined where the page has to sign in. */
  readonly token: string | undefined
  readonly isAuthRequired: boolean
  /** The path before the dashboard: empty, or as `/svc`. */
  readonly base: string
}

/** The page with its facts in it; `%NONCE%` is what lets a script of its own run. Never kept by a browser: it has the token of this process. */
export function renderPage(html: string, facts: PageFacts): HttpResponse {
  const { nonce, base } = facts
  const script = [
    `window.__SVC_BASE_PATH__=${toScript(base)}`,
    `window.__SVC_AUTH_REQUIRED__=${facts.isAuthRequired}`,
    ...(facts.token === undefined ? [] : [`window.__SVC_SESSION_TOKEN__=${toScript(facts.token)}`]),
  ].join(';')
  const start = `<base href="${base}/"><script nonce="${nonce}">${script}</script>`
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': formatPolicy(nonce),
      // For dictation. A frame of a plugin gets no microphone: its document denies it, and it has no `allow`.
      'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
      'referrer-policy': 'no-referrer',
    },
    body: html.replaceAll('%NONCE%', nonce).replace(/<head[^>]*>|$/i, (head) => `${head}${start}`),
  }
}

/**
 * What a page may load: its own files, and nothing from elsewhere. Styles in the text are allowed because the terminal emulator
 * writes its own; they run nothing.
 */
function formatPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** JSON that ends no script element. */
function toScript(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c')
}
