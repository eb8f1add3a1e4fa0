import './refuse-to-compile.js';

import { answer } from '../../answer.js';

export const runtime = 'edge';
export const GET = answer;
