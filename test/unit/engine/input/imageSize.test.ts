import assert from 'node:assert/strict';
import fc from 'fast-check';
import { imageSize } from '../../../../src/engine/input/imageSize.ts';
import { gifHeader, jpegHeader, pngHeader, webpHeader } from '../../../support/imageHeaders.ts';

describe('imageSize', () => {
  const headers: readonly [name: string, header: (width: number, height: number) => Buffer][] = [
    ['PNG', pngHeader],
    ['GIF', gifHeader],
    ['JPEG', jpegHeader],
    ['progressive JPEG', (width, height) => jpegHeader(width, height, 0xc2)],
    ['WebP with animation or alpha', (width, height) => webpHeader('VP8X', width, height)],
    ['lossless WebP', (width, height) => webpHeader('VP8L', width, height)],
    ['lossy WebP', (width, height) => webpHeader('VP8 ', width, height)],
  ];
  for (const [name, header] of headers) {
    it(`reads the size of a ${name} from its header`, () => {
      for (const [width, height] of [[2984, 8340], [1, 1], [16_383, 3], [7, 16_383]] as const) assert.deepEqual(imageSize(header(width, height)), { width, height });
    });

    it(`knows nothing of a ${name} that is cut off`, () => {
      const whole = header(2984, 8340);
      for (let length = 0; length < 10; length++) assert.equal(imageSize(whole.subarray(0, length)), undefined);
    });
  }

  it('reads one pixel made by a real program', () => {
    assert.deepEqual(imageSize(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')), { width: 1, height: 1 });
    assert.deepEqual(imageSize(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')), { width: 1, height: 1 });
  });

  it('says nothing of what is no image, and takes whatever bytes', () => {
    assert.equal(imageSize(Buffer.from('<html><body>404</body></html>')), undefined);
    fc.assert(
      fc.property(fc.constantFrom(...headers.map(([, header]) => header(300, 200))), fc.uint8Array({ maxLength: 40 }), fc.nat(40), (header, noise, at) => {
        const size = imageSize(Buffer.concat([header.subarray(0, at), noise]));
        assert.ok(size === undefined || (size.width > 0 && size.height > 0));
      }),
    );
  });
});
