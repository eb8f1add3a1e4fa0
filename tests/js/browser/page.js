// The page under test: it imports the package unbundled, runs the tests it is told to, and has a cancel button.

import * as dacapo from '/js/load/inline.js';
import { runTest, watchRejections } from '../lib/suites.js';

watchRejections();

const page = globalThis;
page.dacapo = dacapo;
page.runTest = ({ title, origin }) => runTest(title, dacapo, origin);

const element = (id) => document.getElementById(id);

// What the next click on "Ask" asks.
page.question = undefined;
// What the click on "Cancel" did, as soon as the next task has begun.
page.outcome = undefined;

element('ask').addEventListener('click', async () => {
  const { url, options } = page.question;
  page.outcome = undefined;
  const reason = { why: 'the button' };
  const controller = new AbortController();
  element('cancel').onclick = (click) => {
    controller.abort(reason);
    // A message is a task, and comes sooner than any timer.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => (page.outcome = { trusted: click.isTrusted, settledBeforeNextTask: element('state').textContent === 'cancelled' });
    port2.postMessage(0);
  };
  const say = (text) => (element('state').textContent = text);
  try {
    const send = async (...args) => {
      const response = await fetch(...args);
      say('answered');
      return response;
    };
    const ask = dacapo.createFetch({ ...options, fetch: send, onRetry: () => say('waiting') });
    say('asking');
    const response = await ask(url, { method: 'POST', body: '{}', signal: controller.signal });
    say('reading');
    say(await response.text());
  } catch (error) {
    say(error === reason ? 'cancelled' : `failed: ${error}`);
  }
});

document.documentElement.dataset.ready = 'yes';
