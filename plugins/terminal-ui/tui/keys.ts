/** What is typed, given to whom it is for: a dialog, a screen, a key of a plugin, the composer, the transcript. */
import { errorMessage } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import type { Transcript } from 'svc/sdk/terminal'
import { KeyBindings, Overlays, parseKeyName, type TerminalInput } from 'svc/sdk/terminal'
import type { Front } from './front.ts'

const TWICE_MS = 2000
/** A dialog that comes while the user types waits for a pause: a letter must not answer it by chance. */
const PAUSE_MS = 400
const WHEEL_LINES = 3

export class Keys {
  readonly #front: Front
  readonly #always: Readonly<Record<string, () => void>>
  readonly #browsing: Readonly<Record<string, () => void>>
  #interruptedAt = Number.NEGATIVE_INFINITY
  #typedAt = Number.NEGATIVE_INFINITY
  /** Takes back the word that another Ctrl-C leaves. */
  #calm = () => {}

  constructor(front: Front) {
    this.#front = front
    const { transcript } = front
    const open = () => this.#run(front.composer.openEditor(front.screen))
    const toggleReasoning = () => this.#run(front.toggleReasoning())
    const palette = () => this.#run(this.#palette())
    this.#always = {
      'C-q': () => front.leave(),
      'C-l': () => front.repaint(),
      'C-z': () => this.#run(this.#suspend()),
      'C-c': () => this.#interrupt(),
    }
    this.#browsing = {
      'C-g': open,
      'M-g': open,
      'C-o': toggleReasoning,
      'C-p': palette,
      'M-x': palette,
      f1: () => (this.#hasHelp ? front.screens.show('help') : front.type('/help')),
      'C-t': () => transcript.toggle('newest'),
      'M-up': () => transcript.select(-1),
      'M-down': () => transcript.select(1),
      pageup: () => transcript.page(-1),
      pagedown: () => transcript.page(1),
      'S-up': () => transcript.scroll(-1),
      'S-down': () => transcript.scroll(1),
    }
  }

  /** Takes it, and sees to it that what changed is drawn. */
  input(input: TerminalInput): void {
    const front = this.#front
    if (input.type === 'focus') return
    if (input.type === 'closed') front.leave('closed')
    else if (input.type === 'resize') front.screen.forget()
    else this.#give(input)
    front.redraw()
  }

  #give(input: TerminalInput): void {
    const front = this.#front
    const key = input.type === 'key' ? input.name : ''
    const dialog = front.dialogs.current
    const bound = key ? front.ctx.all(KeyBindings).get(key) : undefined
    const isCovered = front.views.focused !== undefined
    const own = this.#always[key] ?? (isCovered ? undefined : this.#browsing[key])
    if (input.type === 'key' && input.released) {
      if (!dialog) front.views.input(input)
    } else if (dialog && !this.#passesBy(key)) dialog.input(input)
    else if (!dialog && key !== 'C-q' && front.views.input(input)) return
    else if (bound) this.#act(() => this.#run(Promise.resolve().then(() => bound.run(front.handle))))
    else if (own) this.#act(own)
    else if (!isCovered) this.#converse(input, key)
  }

  /** Input from a key is not delayed like input from a script. */
  #act(work: () => void): void {
    this.#typedAt = Number.NEGATIVE_INFINITY
    work()
  }

  /** Whether an open dialog does not get it. */
  #passesBy(key: string): boolean {
    if (key === 'C-l' || key === 'C-z' || key === 'C-q') return true
    const isTyping = this.#front.clock.monotonic() - this.#typedAt < PAUSE_MS
    return isTyping && key !== 'escape' && key !== 'C-c'
  }

  #converse(input: TerminalInput, key: string): void {
    const { transcript, composer } = this.#front
    if (input.type === 'mouse') this.#mouse(input)
    else if (transcript.selected && this.#onSelected(input, transcript.selected)) return
    else if (composer.empty && this.#onEmpty(input, key)) return
    else this.#compose(input, key)
  }

  #compose(input: TerminalInput, key: string): void {
    const taken = this.#front.composer.input(input)
    if (taken !== 'ignored') {
      this.#typedAt = this.#front.clock.monotonic()
      this.#calm()
      if (this.#front.transcript.selected) this.#front.transcript.unselect()
    }
    if (taken === 'submit') {
      this.#typedAt = Number.NEGATIVE_INFINITY
      this.#front.submit()
    } else if (taken === 'ignored' && key === 'escape') this.#escape()
  }

  /** Keys for the block that is selected. */
  #onSelected(input: TerminalInput, block: NonNullable<Transcript['selected']>): boolean {
    const { transcript, composer } = this.#front
    const name = input.type === 'key' ? input.name : input.type === 'text' ? input.text : ''
    if (!composer.empty) return false
    if ((name === 'enter' || name === ' ' || name === 'space') && block.foldable) transcript.toggle('selected')
    else if (name === 'y') this.#front.copy(block.text)
    else if (name === 'escape') transcript.unselect()
    else return false
    return true
  }

  get #hasHelp(): boolean {
    return this.#front.ctx.all(Overlays).get('help') !== undefined
  }

  /** Keys that mean something else where there is no text. */
  #onEmpty(input: TerminalInput, key: string): boolean {
    const front = this.#front
    const last = front.conversation.queue.findLast(({ images }) => !images?.length)
    if (input.type === 'text' && input.text === '?' && this.#hasHelp) front.screens.show('help')
    else if (key === 'C-d') front.leave()
    else if (key === 'enter' && front.isDemo && !front.conversation.busy) front.type('/connect')
    else if (key === 'C-f') this.#run(front.find())
    else if (key === 'home') front.transcript.top()
    else if (key === 'end') front.transcript.follow()
    else if (key === 'up' && last) front.composer.set(front.conversation.unqueue(last.id)?.text ?? '')
    else return false
    return true
  }

  #mouse({ action, row }: Extract<TerminalInput, { type: 'mouse' }>): void {
    const { transcript } = this.#front
    if (action === 'wheel-up') transcript.scroll(-WHEEL_LINES)
    else if (action === 'wheel-down') transcript.scroll(WHEEL_LINES)
    else if (action === 'press') transcript.toggle({ row })
  }

  /** Closes a view without the keys, or stops what is under way; else goes back to the end. */
  #escape(): void {
    const { conversation, transcript, views } = this.#front
    if (!views.closeTop() && !conversation.stop()) transcript.follow()
  }

  /** A draft goes first, then the turn, then the user: when it is said, and as long as it is said. */
  #interrupt(): void {
    const front = this.#front
    const isSecond = front.clock.monotonic() - this.#interruptedAt < TWICE_MS
    this.#calm()
    // What is taken can be had back from the history.
    if (!front.composer.empty) front.composer.take()
    else if (isSecond) front.leave()
    else {
      front.conversation.stop()
      this.#interruptedAt = front.clock.monotonic()
      const remove = front.toast(front.t('Ctrl-C again leaves'), 'info', TWICE_MS)
      this.#calm = () => {
        remove()
        this.#interruptedAt = Number.NEGATIVE_INFINITY
      }
    }
  }

  async #suspend(): Promise<void> {
    await this.#front.screen.suspend()
    this.#front.repaint()
  }

  /** Commands and screens, to find by their words. */
  async #palette(): Promise<void> {
    const front = this.#front
    const { t, ctx } = front
    const screens = ctx.all(Overlays).all()
    const commands = ctx.use(Commands).on(front.commands)
    const items = [
      ...screens.map(({ name, title }) => ({ id: `screen ${name}`, label: t(title), detail: this.#findKey(name) })),
      ...commands.map(({ name, argsHint, description }) => {
        const label = `/${name}${argsHint ? ` ${argsHint}` : ''}`
        return { id: `command ${name}`, label, detail: t(description) }
      }),
    ]
    const id = await front.choose({ title: t('Go to'), items })
    const [kind, name = ''] = id?.split(' ') ?? []
    if (kind === 'screen') front.screens.show(name)
    if (kind !== 'command') return
    const takesMore = commands.find((command) => command.name === name)?.argsHint !== undefined
    if (takesMore) front.handle.insert(`/${name} `)
    else front.type(`/${name}`)
  }

  /** The key that shows a screen; empty for none. */
  #findKey(screen: string): string {
    if (screen === 'help') return 'F1'
    const bound = this.#front.ctx.all(KeyBindings).all()
    const key = bound.find((binding) => binding.screen === screen)?.key ?? ''
    return (parseKeyName(key) ?? key)
      .replace('C-', 'Ctrl-')
      .replace('M-', 'Alt-')
      .replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
  }

  #run(work: Promise<unknown>): void {
    work.then(
      () => this.#front.redraw(),
      (error: unknown) => this.#front.toast(errorMessage(error), 'error'),
    )
  }
}
