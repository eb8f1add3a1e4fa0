// Prints the scenarios' names as JSON: only the pinned Node.js can import all peers.

import { scenarios } from './scenarios.js';

console.log(JSON.stringify(Object.keys(scenarios)));
