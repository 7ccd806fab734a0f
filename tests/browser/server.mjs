// Starts and ends `taut view`.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const patience = 20000; // ms

/** `more`: further arguments, such as a scene; `config`: of `taut serve`, which is started instead. */
export async function startServer(taut, web, { port = 0, token, more = [], config } = {}) {
  const options = ['--port', String(port), '--web', web, '--no-open', ...(token ? ['--token', token] : [])];
  const command = config ? ['serve', config, '--web', web] : ['view', ...more, ...options];
  const child = spawn(taut, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (data) => (complaint += data));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`taut view printed no address: ${complaint}`)), patience);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = line.match(/https?:\/\/\S+/);
      if (!found) return;
      clearTimeout(timer);
      resolve(new URL(found[0]));
    });
    ended.then((code) => reject(new Error(`taut view ended with ${code}: ${complaint}`)));
  });
  return {
    address,
    port: Number(address.port),
    token: address.searchParams.get('token'),
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
      await ended;
      clearTimeout(timer);
    },
  };
}
