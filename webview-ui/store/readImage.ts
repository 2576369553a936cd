import { maxImageLength } from '../../src/base/promptSize.ts';
import type { PromptImage } from '../../src/protocol/chatView.ts';
import { fitImage, splitDataUrl } from '../text/imageSize.ts';

const sendable: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Tried one after the other until the image is small enough. */
const qualities = [0.92, 0.8, 0.6] as const;

/** An image as the model takes it: as it is where that fits, else drawn smaller. Rejects for what is no image. */
export async function readImage(file: Blob): Promise<PromptImage> {
  const bitmap = await createImageBitmap(file);
  try {
    const { width, height } = fitImage(bitmap.width, bitmap.height);
    if (sendable.has(file.type) && width === bitmap.width && height === bitmap.height) {
      const whole = await toPromptImage(file);
      if (whole) return whole;
    }
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, width, height);
    for (const quality of qualities) {
      const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', quality));
      const image = drawn && (await toPromptImage(drawn));
      if (image) return image;
    }
    throw new Error('The image is too large, even when it is made smaller.');
  } finally {
    bitmap.close();
  }
}

/** undefined when it is larger than one image may be. */
async function toPromptImage(blob: Blob): Promise<PromptImage | undefined> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('The image could not be read.'));
    reader.readAsDataURL(blob);
  });
  const parts = splitDataUrl(url);
  if (!parts || parts.data.length > maxImageLength) return undefined;
  return { mediaType: parts.mediaType as PromptImage['mediaType'], data: parts.data };
}
