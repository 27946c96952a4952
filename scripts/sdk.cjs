// The client's part of Temporal's SDK, as the bundle `sdk.cjs` of the command line: each package is loaded when it is first required.
module.exports = {
  get '@temporalio/client'() {
    return require('@temporalio/client');
  },
  get '@temporalio/common'() {
    return require('@temporalio/common');
  },
  get '@temporalio/envconfig'() {
    return require('@temporalio/envconfig');
  },
  get '@temporalio/proto'() {
    return require('@temporalio/proto');
  },
};
