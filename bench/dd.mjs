import { scenarios } from '/work/main/bench/scenarios.js';
import { stubWaits } from '/work/main/bench/world.js';
stubWaits();
const c = scenarios.d.contestants().find(c=>c.name==='dacapo');
const t0=performance.now(); while(performance.now()-t0<1500) for(let i=0;i<50;i++) await c.call();
const N=100000; const a=[]; for(let r=0;r<N/100;r++){const t=process.hrtime.bigint(); for(let i=0;i<100;i++) await c.call(); a.push(Number(process.hrtime.bigint()-t)/100/1000)}
a.sort((x,y)=>x-y); console.log(a[a.length>>2].toFixed(2),'us', a[a.length>>1].toFixed(2));
