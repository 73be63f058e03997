/** Setting up an installation by questions: `svc setup`, and any other front end that shows the same sections. */
import type { ConfigChange, ConfigEdit } from './config.ts'
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'

/** A text, the value of an option, several of them, or a yes or no. @since 0.2 */
export type SetupValue = string | boolean | readonly string[]
/** By the keys of their questions. @since 0.2 */
export type SetupAnswers = Readonly<Record<string, SetupValue>>

/** One of the answers to choose from. @since 0.2 */
export interface SetupOption {
  readonly value: string
  readonly title: string
  /** Such as whether it can be used now. */
  readonly note?: string
}

/** A question as data, so that a terminal and a page can show it. @since 0.2 */
export interface SetupQuestion {
  /** Unique in its section. */
  readonly key: string
  readonly title: string
  readonly help?: string
  /**
   * `secret` is not shown while it is typed; `choice` is one of `options`, `choices` are several; `scan` is a text that `Setup.scan`
   * brings once a phone has scanned a code. It may be typed as well.
   */
  readonly kind: 'text' | 'secret' | 'choice' | 'choices' | 'confirm' | 'scan'
  readonly options?: readonly SetupOption[]
  /**
   * Where the answer is written: a path of config.yaml or the name of a variable. A text is read as its owner's schema wants it, and an
   * empty one removes the value. Left out: `SetupSection.edits` says what to write.
   */
  readonly path?: string
  /** What is in force, or suggested. That of a secret is never given. */
  readonly current?: SetupValue
  /** Of a secret: there is one, which an empty answer keeps. */
  readonly isSet?: boolean
  /** May be left empty. */
  readonly isOptional?: boolean
}

/** A code that waits for a phone. @since 0.2 */
export interface SetupScan {
  /** Shown as a QR code. It may give access to an account: it is never stored or logged. */
  readonly address: string
  /** Where the phone scans it. */
  readonly instructions: string
  /** The answer to the question. Rejects when the code has expired, was declined, or the signal aborted. */
  readonly answer: Promise<string>
}

/** A step that is left to the person once a section is written. @since 0.2 */
export interface SetupNote {
  readonly text: string
  /** Shown below as a link and a QR code. It holds no secret. */
  readonly address?: string
  /** Of a step that failed: what was written may have to be changed. */
  readonly isProblem?: true
}

/**
 * A part of the setup, contributed to `SetupSections` by the plugin that owns its settings. That plugin names the service `setup` under
 * `with`. Nothing may be written before all questions are answered: what is written is what `edits` and the paths of questions say.
 * @since 0.2
 */
export interface SetupSection extends Ordered {
  /** As `svc setup NAME` takes it. */
  readonly name: string
  readonly title: string
  readonly description: string
  /**
   * The questions, given the answers so far: later ones may depend on earlier ones, and those that are answered stay in the list. Rejects
   * when what they are made of cannot be read.
   */
  questions(answers: SetupAnswers, signal: AbortSignal): Promise<readonly SetupQuestion[]>
  /** Why an answer cannot be used, as a sentence that says what to do; undefined when it can. May ask a service. */
  check?(question: SetupQuestion, answers: SetupAnswers, signal: AbortSignal): Promise<string | undefined>
  /** Further edits, written in one step with those of the paths. */
  edits?(answers: SetupAnswers): readonly ConfigEdit[]
  /** Where it has questions of the kind `scan`: begins one. Aborting the signal ends it. Throws a `SvcError` with what to fix. */
  scan?(question: SetupQuestion, answers: SetupAnswers, signal: AbortSignal): Promise<SetupScan>
  /** Called after the answers were written: tries the new settings and returns the next steps. */
  conclude?(answers: SetupAnswers, signal: AbortSignal): Promise<readonly SetupNote[]>
}
/** @since 0.2 */
export const SetupSections: ExtensionPoint<SetupSection> = extensionPoint(
  'setup-sections',
  (section) => section.name,
  undefined,
  {
    problem: checkMembers({
      name: 'string',
      title: 'string',
      questions: 'function',
      check: 'function?',
      edits: 'function?',
      scan: 'function?',
      conclude: 'function?',
    }),
  },
)

/**
 * The sections, question by question. It stores no answers: the front end holds those of a section, and removes the last one to go a
 * step back. Throws `SETUP_SECTION` for an unknown name.
 * @since 0.2
 */
export interface Setup {
  sections(): readonly Pick<SetupSection, 'name' | 'title' | 'description'>[]
  /** The first question that is not answered; undefined when all are. */
  next(section: string, answers: SetupAnswers, signal: AbortSignal): Promise<SetupQuestion | undefined>
  /** Why the answer to the question `key` cannot be used: of the wrong kind, refused by the section or by the owner of its path. */
  check(section: string, answers: SetupAnswers, key: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Writes all answers of a section in one step, which `svc config undo` takes back; undefined when nothing changed. Throws
   * `SETUP_INCOMPLETE`, and like `ConfigFile.write`.
   */
  write(section: string, answers: SetupAnswers, signal: AbortSignal): Promise<ConfigChange | undefined>
  /** Begins the scan that answers the question `key`. Throws `SETUP_SCAN`, or what the section throws. */
  scan(section: string, answers: SetupAnswers, key: string, signal: AbortSignal): Promise<SetupScan>
  /** Returns the next steps once the answers are written; may ask a service. Rejects only when the signal aborts. */
  conclude(section: string, answers: SetupAnswers, signal: AbortSignal): Promise<readonly SetupNote[]>
}
/** @since 0.2 */
export const Setup: Service<Setup> = defineService('setup')
