// Waiting for what a server says: never for a time, always for a condition, which is looked at whenever something was heard, and now and
// then besides: what lies on disk says nothing.

/** waiting returns heard, to be called with every message, and until, which resolves with what its condition finds. */
export function waiting(ok, limit) {
  const scale = Number(process.env.WAIT_SCALE || 1);
  const looking = new Set();
  const heard = () => looking.forEach(look => look());
  function until(name, condition, seconds = limit) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { looking.delete(look); clearInterval(again); reject(new Error(`${name}: not within ${seconds * scale} s`)); }, seconds * scale * 1000);
      function look() {
        const found = condition();
        if (!found) return;
        looking.delete(look); clearTimeout(timer); clearInterval(again); ok(name); resolve(found);
      }
      const again = setInterval(look, 200);
      looking.add(look); look();
    });
  }
  return { heard, until };
}
