import '../edge/refuse-to-compile.js';

import * as dacapo from 'dacapo/slim';
import { runTest } from '../../../tests/js/lib/suites.js';
import { columns } from '../../../tests/matrix/lib/columns.js';
import engine from './dacapo.wasm?module';

export const runtime = 'edge';

dacapo.init(engine);

export async function GET(request) {
  return Response.json(await runTest(columns.retry[0], dacapo, new URL(request.url).searchParams.get('origin')));
}
