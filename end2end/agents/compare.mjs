// Compares contexts that Verbatim rebuilds with the requests that an agent sent. A request is `{ blocks, whole }`: its blocks as texts in
// their order, and all of it as one text.

// A value of JSON with its keys in order, without the fields that `keeps(key, field)` refuses at any depth.
export function canonical(value, keeps) {
  if (Array.isArray(value)) return value.map((item) => canonical(item, keeps));
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([key, field]) => keeps(key, field)).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, canonical(field, keeps)]));
}

// How a context differs from the request that was sent for it: of all requests, the one that it has most in common with.
function compare(own, inexact, sent) {
  let best;
  for (const request of sent) {
    const left = [...request.blocks];
    const shared = [];
    const extra = own.blocks.filter((block) => {
      const at = left.indexOf(block);
      if (at >= 0) shared.push(...left.splice(at, 1));
      return at < 0 && !inexact.has(block);
    });
    // Equal blocks may stand there more than once.
    let place = -1;
    const sorted = shared.every((block) => {
      place = request.blocks.indexOf(block, place + 1);
      return place >= 0;
    });
    const score = extra.length * 1000 + left.length;
    if (!best || score < best.score) best = { score, extra, missing: left, sorted, request };
  }
  const equal = best && JSON.stringify(own.blocks) === JSON.stringify(best.request.blocks);
  return { ...best, equal, whole: equal && own.whole === best.request.whole };
}

// Checks every reply of a session, the last one first, and prints a line for each. `read` makes a request of a context, `inexact` the
// set of its blocks whose wording isn't recorded. Returns how many differ: a verified context in anything, another one by a block
// that wasn't sent, or by having none.
export async function check(name, session, sent, { verbatim, read, inexact }) {
  let at = [];
  let failures = 0;
  for (let seen = 0; seen < 100; seen += 1) {
    const context = JSON.parse(await verbatim('context', session, '--json', ...at));
    const own = read(context);
    const { extra, missing, sorted, equal, whole } = compare(own, inexact(context), sent);
    const fails = context.verdict === 'verified' ? !whole : own.blocks.length === 0 || extra.length > 0 || !sorted;
    failures += fails ? 1 : 0;
    const words = whole ? 'all equal' : equal ? 'messages equal'
      : `${missing.length} blocks of the request aren't recorded, ${extra.length} weren't sent${sorted ? '' : ', in another order'}`;
    console.log(`${fails ? 'FAIL' : 'ok  '} ${name.padEnd(22)} ${String(context.reply.seq).padStart(4)}  ${context.verdict.padEnd(11)} ${words}`);
    if (fails || process.env.DETAILS) [...extra.map((it) => `+ ${it}`), ...missing.map((it) => `- ${it}`)].forEach((it) => console.log(`       ${it.slice(0, 200)}`));
    if (!context.change?.previous?.seq) return failures;
    at = ['--at', String(context.change.previous.seq)];
  }
  return failures;
}
