/**
 * Messages outside of the 24 hours in which a business may write freely: a template that Meta has approved, with one variable in its
 * body (developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates).
 */
import { deliveryRefused, type MessageButton } from 'svc/sdk/platform'

/** The longest body of a template with its variables filled in; some room is for the words around the variable. */
const MAX_VARIABLE = 900

/** The approved template; without a name there is no template. */
export interface Template {
  readonly name: string
  readonly language: string
}

/** Whether the window is surely closed: people who have not written since the start may still be within theirs. */
export function isWindowClosed(wroteAt: number | undefined, now: number): boolean {
  return wroteAt !== undefined && now - wroteAt > 86_400_000
}

/** The template with the text as its variable; a long one ends in `…`. Throws `WHATSAPP_WINDOW` where it cannot be one. */
export function createTemplateBody(
  { name, language }: Template,
  {
    text,
    buttons = [],
    hasFiles,
  }: { readonly text: string; readonly buttons?: readonly MessageButton[]; readonly hasFiles: boolean },
): object {
  if (hasFiles)
    throw deliveryRefused(
      'WHATSAPP_WINDOW',
      'The person last wrote more than 24 hours ago, and the template has no place for a file. Wait until they write again.',
    )
  const choices = buttons.length > 0 ? ` (${buttons.map(({ label }) => label).join(' / ')})` : ''
  const said = toVariable(text)
  const most = MAX_VARIABLE - choices.length
  const cut = said.length > most ? `${said.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : said
  const parameters = [{ type: 'text', text: `${cut}${toVariable(choices)}` }]
  const components = [{ type: 'body', parameters }]
  return { type: 'template', template: { name, language: { code: language }, components } }
}

/** A variable has no line ends, no tabs and at most four blanks in a row. */
function toVariable(text: string): string {
  return text.replace(/\s*\n\s*/g, ' · ').replace(/\t| {2,}/g, ' ')
}
