import { scenarios } from '/work/main/bench/scenarios.js';
import { stubWaits } from '/work/main/bench/world.js';
stubWaits();
const c = scenarios.d.contestants().find(c=>c.name==='dacapo');
const t0=performance.now(); while(performance.now()-t0<1500) for(let i=0;i<50;i++) await c.call();
const N=100000; const t=process.hrtime.bigint(); for(let i=0;i<N;i++) await c.call(); console.log(Number(process.hrtime.bigint()-t)/N/1000,'us');
