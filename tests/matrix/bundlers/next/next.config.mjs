// The packages are links to where they are installed, outside this folder.
export default { turbopack: { root: '/' } };
