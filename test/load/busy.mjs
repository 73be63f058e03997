/** Keeps one core busy until its parent goes away, however that ends. */
const SLICE_MS = 50

process.on('disconnect', () => process.exit(0))
work()

function work() {
  const end = Date.now() + SLICE_MS
  while (Date.now() < end);
  setImmediate(work)
}
