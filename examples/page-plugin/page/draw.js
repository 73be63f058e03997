/** Draws a count as cups. */
export function draw(element, cups, language) {
  element.className = 'cups'
  element.textContent = `${new Intl.NumberFormat(language).format(cups)} ${'☕'.repeat(Math.min(cups, 12))}`
}
