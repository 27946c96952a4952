// A reporter of Jest that writes what has happened so far into the file of JEST_RESULTS, one line of JSON each: the end
// of a test, and of a file with its results. So the results of a run that is killed are known, too.
import { appendFileSync } from 'node:fs';

/** Writes it. */
export default class FileReporter {
  onTestCaseResult(_test, { fullName }) {
    write({ test: fullName });
  }

  onTestResult(_test, { testFilePath: name, perfStats: { start, end }, testResults, failureMessage }) {
    const assertionResults = testResults.map(({ status, fullName }) => ({ status, fullName }));
    // A file that cannot be loaded has a message, and no failed test.
    write({
      file: { name, status: failureMessage ? 'failed' : 'passed', startTime: start, endTime: end, assertionResults },
    });
  }

  onRunComplete() {
    write({ ended: true });
  }
}

function write(line) {
  appendFileSync(process.env.JEST_RESULTS, `${JSON.stringify(line)}\n`);
}
