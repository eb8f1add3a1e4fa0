export { answer as GET } from '../../answer.js';
