// What runs in the page under measurement. Both functions are sent there as text: they use nothing from outside.

// Runs before the page: notes when what is to be seen was painted, as milliseconds since the navigation began.
export function watch() {
  const seen = { lcp: 0, bottom: null, ready: null };
  const marks = new Map();
  const waiting = [];
  window.perf = { seen, marks, waiting };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.lcp = entry.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });

  // A task that is queued in an animation frame runs after that frame was drawn.
  const painted = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { then(performance.now()); settle(); };
    port2.postMessage(null);
  });
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
    const last = [...document.querySelectorAll('#transcript article')].at(-1);
    if (scroller && last && /farewell/.test(last.textContent)) {
      const { bottom, height } = last.getBoundingClientRect();
      const view = scroller.getBoundingClientRect();
      if (height > 0 && bottom > view.top && bottom <= view.bottom + 1) {
        seen.bottom = NaN;
        painted((at) => { seen.bottom = at; });
        return;
      }
    }
  };
  const frame = () => {
    look();
    requestAnimationFrame(frame);
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

// Waits for `opened` (last message painted, keys handled), `ready` (keys handled) or a mark (painted).
export function wait(what) {
  const { seen, marks, waiting } = window.perf;
  const answer = () => {
    if (what === 'opened') return seen.bottom > 0 && seen.ready !== null && seen.lcp > 0 ? seen : null;
    if (what === 'ready') return seen.ready !== null && seen.lcp > 0 ? seen : null;
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
