// What runs in the page under measurement. These functions are sent there as text: they use nothing from outside.

// Runs before the page: notes when what is to be seen was painted, as milliseconds since the navigation began.
export function watch() {
  const seen = { lcp: 0, bottom: null, ready: null };
  const marks = new Map();
  const waiting = [];
  const pressed = new Map();
  window.perf = { seen, marks, waiting, pressed, changes: 0 };
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId) pressed.set(interactionId, Math.max(duration, pressed.get(interactionId) ?? 0));
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.lcp = entry.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });

  // A task that is queued in an animation frame runs after that frame was drawn.
  const drawn = (then) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { then(performance.now()); settle(); };
    port2.postMessage(null);
  };
  const painted = (then) => requestAnimationFrame(() => drawn(then));
  const settle = () => {
    for (const check of [...waiting]) check();
  };
  const look = () => {
    if (seen.ready === null && document.documentElement.dataset.ready) {
      seen.ready = performance.now();
      settle();
    }
    if (seen.bottom !== null) return;
    const scroller = document.getElementById('transcript');
    const last = [...document.querySelectorAll('#transcript article[data-seq]')].at(-1);
    const end = document.querySelector('#transcript [aria-setsize]')?.ariaSetSize;
    if (scroller && last && (last.dataset.last ?? last.dataset.seq) === end) {
      const { bottom, height } = last.getBoundingClientRect();
      const view = scroller.getBoundingClientRect();
      if (height > 0 && bottom > view.top && bottom <= view.bottom + 1) {
        seen.bottom = NaN;
        drawn((at) => { seen.bottom = at; });
        return;
      }
    }
  };
  // What is measured later has no script of ours in each frame.
  const frame = () => {
    look();
    if (seen.ready === null || seen.bottom === null) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes])) {
      for (const [mark] of node.textContent?.matchAll(/\bmark\d{3}\b/g) ?? []) {
        if (!marks.has(mark)) {
          marks.set(mark, null);
          painted((at) => marks.set(mark, performance.timeOrigin + at));
        }
      }
    }
  }).observe(document, { childList: true, subtree: true });
}

// Milliseconds of each interaction until the next paint. The browser tells only of those that take two frames or more: the
// others count as one.
export async function interactions(count) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  const told = [...window.perf.pressed.values()];
  return [...told, ...Array(Math.max(0, count - told.length)).fill(16)];
}

// Counts from now on what comes into the transcript.
export function countChanges() {
  window.perf.changes = 0;
  new MutationObserver((changes) => {
    for (const change of changes) window.perf.changes += change.addedNodes.length;
  }).observe(document.getElementById('transcript'), { childList: true, subtree: true });
}

// Waits for `opened` (last message painted, keys handled), `ready` (keys handled) or a mark (painted).
export function wait(what) {
  const { seen, marks, waiting } = window.perf;
  // A page that scrolls before its first paint has no largest one, says Firefox.
  const told = () => seen.lcp > 0 || /Firefox/.test(navigator.userAgent);
  const answer = () => {
    if (what === 'opened') return seen.bottom > 0 && seen.ready !== null && told() ? seen : null;
    if (what === 'ready') return seen.ready !== null && told() ? seen : null;
    return marks.get(what) ? { at: marks.get(what) } : null;
  };
  return new Promise((resolve) => {
    const check = () => {
      const found = answer();
      if (found) resolve(found);
      return found;
    };
    if (check()) return;
    waiting.push(check);
    // The largest paint is told late.
    setInterval(check, 50);
  });
}
