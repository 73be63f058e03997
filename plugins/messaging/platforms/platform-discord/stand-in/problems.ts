/** Errors as Discord writes them (discord.com/developers/docs/reference). */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'

/** An error as the service writes it. */
export function problem(status: number, message: string, code: number): ServiceAnswer {
  return { status, body: { message, code } }
}

/** A form that is refused, with the field and the reason (.../reference, "Error Messages"). */
export function wrongForm(path: readonly (string | number)[], code: string, message: string): ServiceAnswer {
  const leaf: object = { _errors: [{ code, message }] }
  const errors = path.toReversed().reduce((inner: object, name) => ({ [name]: inner }), leaf)
  return { status: 400, body: { message: 'Invalid Form Body', code: 50035, errors } }
}
