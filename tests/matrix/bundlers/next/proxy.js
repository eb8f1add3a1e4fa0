export { answer as proxy } from './answer.js';

export const config = { matcher: '/proxy' };
