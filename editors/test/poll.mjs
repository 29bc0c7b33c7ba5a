// Waits for a condition, never for a time. A condition is checked with every message and, because the disk sends none,
// every 200 ms.

/** poller returns recheck, to call with every message, and until, which resolves with what its condition returns. */
export function poller(ok, limit) {
  const scale = Number(process.env.WAIT_SCALE || 1);
  const checks = new Set();
  const recheck = () => checks.forEach(check => check());
  function until(name, condition, seconds = limit) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { checks.delete(check); clearInterval(again); reject(new Error(`${name}: not within ${seconds * scale} s`)); }, seconds * scale * 1000);
      function check() {
        const found = condition();
        if (!found) return;
        checks.delete(check); clearTimeout(timer); clearInterval(again); ok(name); resolve(found);
      }
      const again = setInterval(check, 200);
      checks.add(check); check();
    });
  }
  return { recheck, until };
}
