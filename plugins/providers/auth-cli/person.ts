/** A person at a terminal who signs in. */
import type { CliContext } from 'svc/sdk'
import { safeLine } from 'svc/sdk/kit/terminal'
import type { SignInCodeStep, SignInPerson, SignInStep } from 'svc/sdk/sign-in'

/** Steps are lines on standard error; an address is left whole, so that a terminal makes it a link. */
export function personAt(io: CliContext): SignInPerson {
  const say = (text: string) => io.err(`${safeLine(text)}\n`)
  return {
    say,
    show: (step) => toLines(step).forEach(say),
    ask: (prompt, signal) =>
      io.ask(prompt, { typedAhead: true, signal: signal ? AbortSignal.any([signal, io.signal]) : io.signal }),
  }
}

function toLines(step: SignInStep): readonly string[] {
  switch (step.kind) {
    case 'open-url':
      return step.returns === 'loopback'
        ? ['Open this address in a browser of this machine:', step.url]
        : ['Open this address in a browser:', step.url]
    case 'show-code':
      return [`Open ${step.url} in a browser and enter the code ${step.code}`, ...listComplete(step)]
    case 'run-command':
      return [`Run: ${step.command}`]
  }
}

function listComplete({ completeUrl }: SignInCodeStep): readonly string[] {
  return completeUrl === undefined ? [] : [`or open ${completeUrl}`]
}
