import * as dacapo from 'dacapo';
import { runColumns } from '../tests/matrix/lib/columns.js';

/** Runs the contract against the server that the request names. */
export async function answer(request) {
  return Response.json(await runColumns(dacapo, new URL(request.url).searchParams.get('origin')));
}
