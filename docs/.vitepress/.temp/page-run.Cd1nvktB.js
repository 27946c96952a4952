const _imports_1 = '/assets/page-run.ioVt32iX.png';
export { _imports_1 as _ };
