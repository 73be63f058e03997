/** The page: how many cups there were today, and a button for one more. Plain JavaScript, loaded as a module. */
import { draw } from './draw.js'

const path = '/api/plugins/page-plugin/cups'

/** @type {import('svc/sdk/dashboard').DashboardPageMount<HTMLElement>} */
export default async function mount(element, host) {
  const text = document.createElement('p')
  const button = document.createElement('button')
  button.className = 'button primary'
  button.textContent = 'Another cup'
  element.replaceChildren(text, button)
  const show = ({ cups }) => draw(text, cups, host.state.language)
  let last = await host.request('GET', path)
  show(last)
  host.onState(() => show(last))
  button.onclick = async () => {
    last = await host.request('POST', path)
    show(last)
    if (last.cups > 3) host.notify('That is enough for today.', 'warning')
  }
}
