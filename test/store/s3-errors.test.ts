// What the answers of an S3 service mean: what passes by itself is waited for, the rest is a person's to correct.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openStore } from '../../src/store/open.js';
import { bucketError } from '../../src/store/s3-errors.js';
import { StoreRefused, StoreUnreachable } from '../../src/store/store.js';
import { folder } from '../support/folder.js';

const PAGE = '<!DOCTYPE html>\n<html><body>Gateway</body></html>';
const where = 'host h: the store s3://b';

/** What AWS's client throws for an answer: without a code it calls it unknown. */
const thrown = (status: number, code = 'UnknownError', type = 'application/xml'): Error =>
  Object.assign(new Error(code === 'UnknownError' ? code : 'Why.'), {
    name: code,
    $metadata: { httpStatusCode: status },
    $response: { statusCode: status, headers: { 'content-type': type } },
  });

describe('an answer that passes by itself is trouble that is waited for', () => {
  test.each([
    [400, 'RequestTimeout', 'RequestTimeout (Why)'],
    [400, 'RequestTimeoutException', 'RequestTimeoutException'],
    [400, 'Throttling', 'Throttling'],
    [400, 'ThrottlingException', 'ThrottlingException'],
    [400, 'RequestLimitExceeded', 'RequestLimitExceeded'],
    [403, 'RequestThrottled', 'RequestThrottled'],
    [403, 'SlowDown', 'SlowDown'],
    [403, 'BandwidthLimitExceeded', 'BandwidthLimitExceeded'],
    [400, 'TooManyRequestsException', 'TooManyRequestsException'],
    [307, 'TemporaryRedirect', 'TemporaryRedirect'],
    [307, undefined, 'HTTP 307'],
    [408, undefined, 'HTTP 408'],
    [409, 'OperationAborted', 'OperationAborted'],
    [429, undefined, 'HTTP 429'],
    [500, 'InternalError', 'InternalError'],
    [503, 'SlowDown', 'SlowDown'],
    [507, 'QuotaExceeded', 'QuotaExceeded'],
  ])('%i %s', (status, code, what) => {
    const error = bucketError(thrown(status, code), { where, idleMs: 1000 });
    expect(error).toBeInstanceOf(StoreUnreachable);
    expect(error.message).toContain(what);
  });

  test.each([403, 404, 400])('%i with the page of a proxy', (status) => {
    const error = bucketError(thrown(status, 'NotFound', 'text/html; charset=utf-8'), { where, idleMs: 1000 });
    expect(error).toBeInstanceOf(StoreUnreachable);
    expect(error.message).toContain('a page that is not the store');
  });
});

describe('an answer that a person must correct is a refusal', () => {
  test.each([
    [400, 'InvalidBucketName', 'correct artifact_store'],
    [400, 'ExpiredToken', 'they have expired'],
    [403, 'AccessDenied', 'allow these keys to list'],
    [403, 'SignatureDoesNotMatch', 'correct the keys'],
    [403, 'RequestTimeTooSkewed', 'the clock of this host is wrong'],
    [404, 'NoSuchBucket', 'create it'],
    [403, undefined, 'correct the keys'],
    [301, 'PermanentRedirect', 'correct s3_region'],
  ])('%i %s', (status, code, remedy) => {
    const error = bucketError(thrown(status, code), { where, idleMs: 1000 });
    expect(error).toBeInstanceOf(StoreRefused);
    expect(error.message).toContain(remedy);
  });
});

let server: Server | undefined;
afterEach(() => void server?.close());

test.each(['read', 'locate'] as const)('the 404 of a proxy is not taken for an absent object (%s)', async (how) => {
  server = createServer((_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end(PAGE));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bucket = { address: 's3://bucket', endpoint, cwd: '/', cacheBytes: 1 << 20 };
  const keys = { AWS_ACCESS_KEY_ID: 'raymond', AWS_SECRET_ACCESS_KEY: 'not-a-secret' };
  const store = openStore({ dir: await folder(), bucket }, keys);
  await expect(how === 'read' ? store.read('runs/x') : store.locate('a'.repeat(64))).rejects.toThrow(
    'a page that is not the store',
  );
});
