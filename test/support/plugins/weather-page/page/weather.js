/** The weather of a city, from the route of this plugin. */
export default async function mount(element, host) {
  const { text } = await host.request('GET', '/api/plugins/weather/Lisbon')
  element.textContent = text
}
