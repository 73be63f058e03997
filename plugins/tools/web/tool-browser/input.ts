/** Clicks, typing and keys. */
import { SvcError } from 'svc/sdk'
import type { BrowserTab } from 'svc/sdk/web'
import { type Element, findElement, findPoint } from './element.ts'
import { parseKey } from './keys.ts'

/** Clicks an element where a person would; an option of a list is chosen. Resolves to what it is called. */
export async function click(tab: BrowserTab, ref: string): Promise<string> {
  const element = await findElement(tab, ref)
  if (await element.call<boolean>(CHOOSE)) return element.place.label
  const { x, y } = await findPoint(tab, element)
  const mouse = (type: string, more: object = {}) =>
    tab.target().send('Input.dispatchMouseEvent', { type, x, y, ...more })
  await mouse('mouseMoved')
  const button = { button: 'left', clickCount: 1 }
  await mouse('mousePressed', { ...button, buttons: 1 })
  await mouse('mouseReleased', button)
  return element.place.label
}

/** What a field said before and after. */
export interface Typed {
  readonly label: string
  /** What the field holds now, when that is not what was typed. */
  readonly holds?: string
}

/** Replaces what a field holds. Throws `BROWSER_NOT_A_FIELD` or `BROWSER_DISABLED`. */
export async function type(tab: BrowserTab, ref: string, text: string): Promise<Typed> {
  const element = await findElement(tab, ref)
  const { label } = element.place
  const { problem, isDisabled, isSet } = await element.call<{ problem?: string; isDisabled?: true; isSet?: true }>(
    FILL,
    text,
  )
  if (isDisabled) throw new SvcError('BROWSER_DISABLED', `${label} is disabled or read-only.`)
  if (problem !== undefined) throw new SvcError('BROWSER_NOT_A_FIELD', `${label} ${problem}`)
  if (isSet) return { label }
  if (text === '') await stroke(tab, 'Delete')
  else await tab.target().send('Input.insertText', { text })
  return { label, ...(await difference(element, text)) }
}

async function difference(element: Element, text: string): Promise<{ holds?: string }> {
  const { isSecret, value } = await element.call<{ isSecret: boolean; value: string }>(READ)
  if (squeeze(value) === squeeze(text)) return {}
  return { holds: isSecret ? `${value.length} characters` : value.slice(0, 200) }
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Presses a key, in whatever has the focus; throws `BROWSER_BAD_KEY`. */
export async function stroke(tab: BrowserTab, typed: string): Promise<void> {
  const { key, modifiers } = parseKey(typed)
  const press = (event: string) =>
    tab.target().send('Input.dispatchKeyEvent', { type: event, ...key, modifiers, ...editing(typed) })
  await press(key.text === undefined ? 'rawKeyDown' : 'keyDown')
  await tab.target().send('Input.dispatchKeyEvent', { type: 'keyUp', key: key.key, code: key.code, modifiers })
}

/** What the window system does with a key elsewhere: a browser without a window has to be told. */
function editing(typed: string): { commands?: readonly string[] } {
  return /^(control|ctrl|meta|cmd|command)\+a$/i.test(typed) ? { commands: ['selectAll'] } : {}
}

/** Functions for the page. `set` goes around what a page put over `value`, as typing does. */
const SET = `const set = (field, value) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, value)
    for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true, composed: true }))
  }`

const CHOOSE = `function () {
  if (this.localName !== 'option' || this.disabled) return false
  const list = this.closest('select')
  if (!list || list.disabled) return false
  if (list.multiple) this.selected = !this.selected
  else list.selectedIndex = [...list.options].indexOf(this)
  for (const name of ['input', 'change']) list.dispatchEvent(new Event(name, { bubbles: true, composed: true }))
  return true
}`

const FIELD = `const field = this.matches('input, textarea, select') || this.isContentEditable
    ? this : this.querySelector('input, textarea, select, [contenteditable]') || this`

const FILL = `function (text) {
  if (this.nodeType !== Node.ELEMENT_NODE) return { problem: 'is text, not a field' }
  ${SET}
  ${FIELD}
  const kind = field.localName === 'input' ? field.type : field.localName
  if (field.disabled || field.readOnly || field.closest('[aria-disabled=true]')) return { isDisabled: true }
  if (kind === 'select') {
    const wanted = text.trim().toLowerCase()
    const options = [...field.options]
    const found = options.find((each) => each.label.trim().toLowerCase() === wanted || each.value.toLowerCase() === wanted)
    if (!found) return { problem: 'has no such choice; it has ' + options.slice(0, 30).map((each) => each.label.trim()).join(', ') }
    set(field, found.value)
    return { isSet: true }
  }
  if (/^(date|time|month|week|datetime-local|color|range)$/.test(kind)) {
    set(field, text)
    return field.value === text ? { isSet: true } : { problem: 'of the kind ' + kind + ' did not take that; it holds ' + field.value }
  }
  if (/^(file|checkbox|radio|button|submit|reset|image)$/.test(kind)) return { problem: 'is of the kind ' + kind + ', which takes no text' }
  if (field.localName === 'input' || kind === 'textarea') {
    field.focus()
    field.select()
    return {}
  }
  if (!field.isContentEditable) return { problem: 'is not a field' }
  field.focus()
  getSelection().selectAllChildren(field)
  return {}
}`

const READ = `function () {
  ${FIELD}
  return { isSecret: field.type === 'password', value: String(field.value === undefined ? field.innerText : field.value) }
}`
