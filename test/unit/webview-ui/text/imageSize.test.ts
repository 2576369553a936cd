import assert from 'node:assert/strict';
import { fitImage, splitDataUrl } from '../../../../webview-ui/text/imageSize.ts';

describe('imageSize', () => {
  it('makes the long edge fit, in proportion, and nothing larger', () => {
    assert.deepEqual([fitImage(3136, 1000), fitImage(10, 20), fitImage(1, 50_000)], [{ width: 1568, height: 500 }, { width: 10, height: 20 }, { width: 1, height: 1568 }]);
  });

  it('takes a data URL apart', () => {
    assert.deepEqual(splitDataUrl('data:image/png;base64,aGk='), { mediaType: 'image/png', data: 'aGk=' });
    assert.equal(splitDataUrl('data:,plain'), undefined);
  });
});
