// The failure converter of workers and clients that encrypt: messages and stack traces become a payload, which the codec encrypts.
// CommonJS, because the SDK loads it by require(). Must not be loaded without keys: failures are then to be read in Temporal's UI.
import common = require('@temporalio/common');

export = { failureConverter: new common.DefaultFailureConverter({ encodeCommonAttributes: true }) };
