// A service worker that runs the contract, when a page asks for it.

import * as dacapo from '/node_modules/dacapo/js/load/inline.js';
import { watchRejections } from '../../js/lib/suites.js';
import { runColumns } from '../lib/columns.js';

watchRejections();

addEventListener('message', (event) => {
  const [port] = event.ports;
  event.waitUntil(runColumns(dacapo, event.data).then((outcomes) => port.postMessage(outcomes)));
});
