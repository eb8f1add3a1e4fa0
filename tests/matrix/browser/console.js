// Has the site told of what an example logs. It logs once.

const log = console.log;
console.log = (...values) => {
  log(...values);
  fetch(`/told${location.search}`, { method: 'POST', body: JSON.stringify(values.join(' ')) });
};
