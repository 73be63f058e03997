/** Approvals and questions, as the editor puts them to its user. */
import type { PermissionOption, PermissionOptionKind, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { ApprovalChoice, ApprovalRequest, ChoiceDialog, UserQuestion } from 'svc/sdk'
import type { Editor } from './editor.ts'

const CHOICES: Readonly<Record<ApprovalChoice, { readonly name: string; readonly kind: PermissionOptionKind }>> = {
  once: { name: 'Allow once', kind: 'allow_once' },
  session: { name: 'Allow in this session', kind: 'allow_always' },
  project: { name: 'Allow in this project', kind: 'allow_always' },
  always: { name: 'Always allow', kind: 'allow_always' },
  deny: { name: 'Deny', kind: 'reject_once' },
}

/** Choices of a question without a form are buttons; more would not fit. */
const MAX_BUTTONS = 9

export class EditorQuestions {
  readonly #editor: Editor
  readonly #place: { readonly sessionId: string }
  #count = 0

  constructor(editor: Editor, place: { readonly sessionId: string }) {
    this.#editor = editor
    this.#place = place
  }

  /** `call`: the call that waits, as the editor knows it. */
  async approve(
    { reason, action, choices, covers }: ApprovalRequest,
    call: ToolCallUpdate,
    signal: AbortSignal,
  ): Promise<ApprovalChoice | undefined> {
    const options = choices.map((choice): PermissionOption => {
      const { name, kind } = CHOICES[choice]
      const isStanding = kind === 'allow_always' && covers !== undefined
      return { optionId: choice, name: isStanding ? `${name}: ${covers}` : name, kind }
    })
    const why = { type: 'content' as const, content: { type: 'text' as const, text: `It ${reason}: ${action}` } }
    const toolCall = { ...call, content: [why, ...(call.content ?? [])] }
    const chosen = await this.#editor.permit(this.#place.sessionId, { toolCall, options }, signal)
    return choices.find((choice) => choice === chosen)
  }

  async answer({ text, choices }: UserQuestion, signal: AbortSignal): Promise<string | undefined> {
    if (this.#editor.hasForms) return this.#fillIn(text, signal)
    if (choices.length === 0 || choices.length > MAX_BUTTONS) return undefined
    const options = choices.map((name, at) => ({ optionId: String(at), name, kind: 'allow_once' as const }))
    const chosen = await this.#press(text, options, signal)
    return chosen === undefined ? undefined : choices[Number(chosen)]
  }

  async confirm(question: string, signal: AbortSignal): Promise<boolean | undefined> {
    const options: PermissionOption[] = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ]
    const chosen = await this.#press(question, options, signal)
    return chosen === undefined ? undefined : chosen === 'yes'
  }

  async choose({ title, items }: ChoiceDialog, signal: AbortSignal): Promise<string | undefined> {
    if (this.#editor.hasForms) {
      const oneOf = items.map(({ id, label, detail }) => ({ const: id, title: detail ? `${label}: ${detail}` : label }))
      const field = { type: 'string' as const, title, oneOf }
      return this.#editor.fillIn(this.#place.sessionId, { message: title, field }, signal)
    }
    if (items.length > MAX_BUTTONS) return undefined
    const options = items.map(({ id, label }) => ({ optionId: id, name: label, kind: 'allow_once' as const }))
    return this.#press(title, options, signal)
  }

  /** A secret is not asked for: what is typed into a form may be kept by the editor. */
  async ask(
    { text, secret }: { readonly text: string; readonly secret?: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    return secret || !this.#editor.hasForms ? undefined : this.#fillIn(text, signal)
  }

  #fillIn(message: string, signal: AbortSignal): Promise<string | undefined> {
    const field = { type: 'string' as const, title: message }
    return this.#editor.fillIn(this.#place.sessionId, { message, field }, signal)
  }

  #press(title: string, options: PermissionOption[], signal: AbortSignal): Promise<string | undefined> {
    const toolCall = {
      toolCallId: `question-${++this.#count}`,
      title,
      kind: 'other' as const,
      status: 'pending' as const,
    }
    return this.#editor.permit(this.#place.sessionId, { toolCall, options }, signal)
  }
}
