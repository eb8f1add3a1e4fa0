import { run } from './contract.js';

const [, , origin, isBrief] = process.argv;
run(origin, isBrief !== undefined).then((outcomes) => console.log(JSON.stringify(outcomes)));
