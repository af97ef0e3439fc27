// Writes down what the tests of repairers and partial parsers in TypeScript ask of them, and what they answer.
//
//     node repair_record.mjs OUT SUITE TEST_FILE MODULE FUNCTION
//
// MODULE is the module as the test file imports it, and FUNCTION the name that is recorded there. `esbuild` has to be found by
// node (`npm install esbuild` where this is called). The tests are bundled with a stand-in for vitest that runs every test and
// checks nothing, and each call is a line of OUT: suite, test, text, further arguments, and the answer, or that it was refused.
// `grammarc-benches`' `suites` asks grammarc the same. Nothing of the tests is kept in the project: they are run where they are.

import { createRequire } from 'node:module'
import { appendFileSync, mkdtempSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'

const [out, suite, file, module, name] = process.argv.slice(2)
const { build } = createRequire(join(process.cwd(), 'here.js'))('esbuild')

globalThis.recorded = { test: '', path: [] }
globalThis.record = (original) => (text, ...args) => {
  const row = { suite, test: globalThis.recorded.test, text: String(text) }
  if (args.length > 0) row.args = args
  try {
    const answer = original(text, ...args)
    row.answer = answer === undefined ? null : answer
    return answer
  } catch (error) {
    row.refused = String(error.message).slice(0, 200)
    throw error
  } finally {
    appendFileSync(out, JSON.stringify(row) + '\n')
  }
}

const vitest = `
const anything = new Proxy(function () {}, { get: (_, key) => (key === 'then' ? undefined : anything), apply: () => anything })
export const expect = (value) => { if (typeof value === 'function') { try { value() } catch {} } return anything }
export const test = (name, run) => {
  globalThis.recorded.test = [...globalThis.recorded.path, name].join(' > ')
  try { const done = run(); if (done && done.catch) done.catch(() => {}) } catch {}
}
export const it = test
export const describe = (name, run) => { globalThis.recorded.path.push(name); try { run() } finally { globalThis.recorded.path.pop() } }
describe.each = (list) => (name, run) => describe(name, () => run(list[0]))
test.each = (list) => (name, run) => list.forEach((one) => test(name, () => run(...[one].flat())))
export default { expect, test, it, describe }
`
const assert = `
const run = (value) => { if (typeof value === 'function') { try { value() } catch {} } }
const assert = (value) => run(value)
for (const name of ['equal', 'strictEqual', 'deepEqual', 'deepStrictEqual', 'throws', 'doesNotThrow', 'ok', 'match']) assert[name] = run
export default assert
export const { equal, strictEqual, deepEqual, deepStrictEqual, throws, doesNotThrow, ok, match } = assert
`

const folder = dirname(realpathSync(file))
const target = join(mkdtempSync(join(tmpdir(), 'record-')), 'tests.mjs')
await build({
  entryPoints: [file],
  bundle: true,
  format: 'esm',
  platform: 'node',
  outfile: target,
  external: ['partial-json'],
  logLevel: 'error',
  plugins: [
    {
      name: 'record',
      setup(build) {
        build.onResolve({ filter: /^(vitest|(node:)?assert)$/ }, ({ path }) => ({ path, namespace: 'stand-in' }))
        build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({ contents: path === 'vitest' ? vitest : assert }))
        build.onResolve({ filter: /.*/ }, ({ path, importer }) =>
          path === module && resolve(importer) === resolve(file) ? { path: resolve(folder, path), namespace: 'recorded' } : undefined
        )
        build.onLoad({ filter: /.*/, namespace: 'recorded' }, ({ path }) => ({
          resolveDir: folder,
          contents: `export * from ${JSON.stringify(path)}
            import { ${name} as original } from ${JSON.stringify(path)}
            export const ${name} = globalThis.record(original)`
        }))
      }
    }
  ]
})
await import(pathToFileURL(target).href)
