'use client';

import * as dacapo from 'dacapo';
import { useEffect } from 'react';
import { watchRejections } from '../../tests/js/lib/suites.js';
import { runColumns } from '../../tests/matrix/lib/columns.js';

export default function Page() {
  useEffect(() => {
    watchRejections();
    globalThis.runHere = (origin) => runColumns(dacapo, origin);
  }, []);
  return <h1>dacapo</h1>;
}
