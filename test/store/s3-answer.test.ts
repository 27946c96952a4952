// What the answers of an S3 service mean: what passes by itself is waited for, the rest is a person's to correct.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openStore } from '../../src/store/open.js';
import { troubleOf } from '../../src/store/s3-answer.js';
import { StoreRefused, StoreUnreachable } from '../../src/store/store.js';
import { folder } from '../support/folder.js';

const error = (code: string): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Why.</Message></Error>`;
const PAGE = '<!DOCTYPE html>\n<html><body>Gateway</body></html>';

describe('an answer that passes by itself is trouble that is waited for', () => {
  test.each([
    [400, error('RequestTimeout'), 'RequestTimeout (Why)'],
    [400, error('RequestTimeoutException'), 'RequestTimeoutException'],
    [400, error('Throttling'), 'Throttling'],
    [400, error('ThrottlingException'), 'ThrottlingException'],
    [400, error('RequestLimitExceeded'), 'RequestLimitExceeded'],
    [403, error('RequestThrottled'), 'RequestThrottled'],
    [403, error('SlowDown'), 'SlowDown'],
    [403, error('BandwidthLimitExceeded'), 'BandwidthLimitExceeded'],
    [400, error('TooManyRequestsException'), 'TooManyRequestsException'],
    [307, error('TemporaryRedirect'), 'TemporaryRedirect'],
    [307, '', 'HTTP 307'],
    [408, '', 'HTTP 408'],
    [409, error('OperationAborted'), 'OperationAborted'],
    [429, '', 'HTTP 429'],
    [500, error('InternalError'), 'InternalError'],
    [503, error('SlowDown'), 'SlowDown'],
    [507, error('QuotaExceeded'), 'QuotaExceeded'],
    [403, PAGE, 'a page that is not the store'],
    [404, PAGE, 'a page that is not the store'],
    [400, `\n ${PAGE.toLowerCase()}`, 'a page that is not the store'],
  ])('%i %s', (status, text, what) => {
    const trouble = troubleOf('host h: the store s3://b', { status, text });
    expect(trouble).toBeInstanceOf(StoreUnreachable);
    expect(trouble.message).toContain(what);
  });
});

describe('an answer that a person must correct is a refusal', () => {
  test.each([
    [400, error('InvalidBucketName'), 'correct artifact_store'],
    [400, error('ExpiredToken'), 'they have expired'],
    [403, error('AccessDenied'), 'allow these keys to list'],
    [403, error('SignatureDoesNotMatch'), 'correct the keys'],
    [403, error('RequestTimeTooSkewed'), 'the clock of this host is wrong'],
    [404, error('NoSuchBucket'), 'create it'],
    [403, '', 'correct the keys'],
    [301, error('PermanentRedirect'), 'correct s3_region'],
  ])('%i %s', (status, text, remedy) => {
    const trouble = troubleOf('host h: the store s3://b', { status, text });
    expect(trouble).toBeInstanceOf(StoreRefused);
    expect(trouble.message).toContain(remedy);
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
