/** The building blocks of all pages. */
import { ChevronRight, CircleAlert, Inbox, LoaderCircle, type LucideIcon, X } from 'lucide-preact'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { ApiError } from '../client/api.ts'
import { t } from '../client/language.ts'

export interface ButtonProps {
  readonly children?: ComponentChildren
  readonly icon?: LucideIcon
  readonly kind?: 'primary' | 'danger' | 'quiet' | 'plain'
  readonly label?: string
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  readonly pressed?: boolean
  readonly class?: string
  readonly title?: string
  readonly onClick?: (event: MouseEvent) => unknown
}

/** While a promise of `onClick` is pending the button says so and cannot be used again. */
export function Button({
  children,
  icon: Icon,
  kind = 'plain',
  label,
  disabled,
  pressed,
  onClick,
  ...more
}: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const click = (event: MouseEvent) => {
    const result = onClick?.(event)
    if (!(result instanceof Promise)) return
    setBusy(true)
    void result.finally(() => setBusy(false))
  }
  return (
    <button
      type="button"
      {...more}
      class={`button ${kind} ${children === undefined ? 'icon-only' : ''} ${more.class ?? ''}`}
      aria-label={label}
      title={more.title ?? (children === undefined ? label : undefined)}
      aria-pressed={pressed}
      aria-busy={isBusy || undefined}
      disabled={disabled === true || isBusy}
      onClick={click}
    >
      {isBusy ? (
        <LoaderCircle size={16} class="spin" aria-hidden="true" />
      ) : (
        Icon && <Icon size={16} aria-hidden="true" />
      )}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}

export function Page({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <div class="page">
      <header class="page-head">
        <h1>{title}</h1>
        <div class="actions">{actions}</div>
      </header>
      <div class="page-body">{children}</div>
    </div>
  )
}

export function Card({
  title,
  actions,
  children,
  tone,
}: {
  title?: ComponentChildren
  actions?: ComponentChildren
  children?: ComponentChildren
  tone?: string
}) {
  return (
    <section class={`card ${tone ?? ''}`}>
      {(title !== undefined || actions !== undefined) && (
        <header class="card-head">
          <h2>{title}</h2>
          <div class="actions">{actions}</div>
        </header>
      )}
      {children}
    </section>
  )
}

export function Badge({ children, tone = '' }: { children: ComponentChildren; tone?: string }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

export function Empty({ children, icon: Icon = Inbox }: { children: ComponentChildren; icon?: LucideIcon }) {
  return (
    <div class="empty">
      <Icon size={32} aria-hidden="true" />
      <p>{children}</p>
    </div>
  )
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <LoaderCircle size={20} class="spin" aria-hidden="true" />
      <span>{t('Loading…')}</span>
    </div>
  )
}

/** What went wrong, and a button to try again. */
export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  const isAbsent = error instanceof ApiError && error.status === 404
  return (
    <div class="card error" role="alert">
      <p>
        <CircleAlert size={18} aria-hidden="true" />{' '}
        {isAbsent ? t('This server does not have this part.') : error.message}
      </p>
      {isAbsent && <p class="dim">{error.message}</p>}
      {retry && <Button onClick={retry}>{t('Try again')}</Button>}
    </div>
  )
}

/** Shows what was read: loading, a failure, or the children. A failure of a later read stays above what is there. */
export function Loaded<T>({
  from,
  children,
}: {
  from: { data: T | undefined; error: Error | undefined; reload(): void }
  children: (data: T) => ComponentChildren
}) {
  if (from.data === undefined) return from.error ? <Failed error={from.error} retry={from.reload} /> : <Loading />
  return (
    <>
      {from.error && <Failed error={from.error} retry={from.reload} />}
      {children(from.data)}
    </>
  )
}

export interface FieldProps {
  readonly label: ComponentChildren
  readonly help?: ComponentChildren
  readonly children: (id: string, helpId: string | undefined) => ComponentChildren
}

export function Field({ label, help, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, help ? `${id}-help` : undefined)}
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  )
}

type TextFieldProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'label' | 'onInput' | 'value'> & {
  label: ComponentChildren
  help?: ComponentChildren
  value: string
  onValue: (value: string) => void
}

export function TextField({ label, help, value, onValue, ...more }: TextFieldProps) {
  return (
    <Field label={label} help={help}>
      {(id, helpId) => (
        <input
          {...more}
          id={id}
          class="input"
          value={value}
          aria-describedby={helpId}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export interface SelectProps {
  readonly label: ComponentChildren
  readonly help?: ComponentChildren
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onValue: (value: string) => void
  readonly isHidden?: boolean
}

export function Select({ label, help, value, options, onValue, isHidden }: SelectProps) {
  const select = (id: string | undefined, helpId?: string) => (
    <select
      id={id}
      class="input"
      value={value}
      aria-label={isHidden ? String(label) : undefined}
      aria-describedby={helpId}
      onChange={(event) => onValue(event.currentTarget.value)}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  )
  return isHidden ? (
    select(undefined)
  ) : (
    <Field label={label} help={help}>
      {select}
    </Field>
  )
}

export function Switch({
  label,
  isOn,
  onChange,
  disabled,
}: {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
  disabled?: boolean
}) {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
    >
      <span />
    </button>
  )
}

/** A window over the page. Escape and its close button close it; the browser keeps the focus inside. */
export function Dialog({
  title,
  children,
  onClose,
  class: kind = '',
}: {
  title: string
  children: ComponentChildren
  onClose: () => void
  class?: string
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const isShown = useRef(true)
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // The browser would take the close button, which is the first.
    dialog?.querySelector<HTMLElement>('input, select, textarea, .actions button')?.focus()
    return () => {
      isShown.current = false
      dialog?.close()
    }
  }, [])
  // The event comes after the window has gone too, and then another one may have taken its place.
  const closed = () => isShown.current && onClose()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog
    <dialog
      ref={ref}
      class={`dialog ${kind}`}
      aria-label={title}
      onCancel={onClose}
      onClose={closed}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div class="dialog-inner">
        <header class="card-head">
          <h2>{title}</h2>
          <Button icon={X} kind="quiet" label={t('Close')} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  text,
  action,
  onConfirm,
  onClose,
}: {
  title: string
  text: string
  action: string
  onConfirm: () => unknown
  onClose: () => void
}) {
  const confirm = async () => {
    await onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="actions end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" onClick={confirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}

export interface Tab {
  readonly id: string
  readonly label: string
  readonly body: () => ComponentChildren
}

/** Arrow keys move between tabs. The first is shown, unless `initial` names another. */
export function Tabs({ label, tabs, initial }: { label: string; tabs: readonly Tab[]; initial?: string }) {
  const [chosen, choose] = useState(initial ?? tabs[0]?.id)
  const id = useId()
  const active = tabs.find((tab) => tab.id === chosen) ?? tabs[0]
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined || !active) return
    const forward = document.documentElement.dir === 'rtl' ? -step : step
    const next = tabs[(tabs.indexOf(active) + forward + tabs.length) % tabs.length]
    if (!next) return
    choose(next.id)
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            type="button"
            key={tab.id}
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab === active}
            aria-controls={`${id}-panel`}
            tabIndex={tab === active ? 0 : -1}
            onClick={() => choose(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${active?.id}`}>
        {active?.body()}
      </div>
    </div>
  )
}

export function Fold({
  summary,
  children,
  open,
}: {
  summary: ComponentChildren
  children: ComponentChildren
  open?: boolean
}) {
  return (
    <details class="fold" open={open}>
      <summary>
        <ChevronRight size={14} class="chevron" aria-hidden="true" />
        {summary}
      </summary>
      {children}
    </details>
  )
}

/** A table that scrolls inside itself on small screens. */
export function Table({
  head,
  children,
  label,
}: {
  head: readonly ComponentChildren[]
  children: ComponentChildren
  label: string
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) =>
              // A column of buttons has no name.
              cell === '' ? (
                <td key={at} />
              ) : (
                <th key={at} scope="col">
                  {cell}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}
