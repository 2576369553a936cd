import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { maxPromptLength, promptLength } from '../../src/base/promptSize.ts';
import type { PromptImage } from '../../src/protocol/chatView.ts';
import { readImage } from './readImage.ts';

/** Images that go with the next message. */
export interface Attachments {
  readonly images: ReadonlySignal<readonly PromptImage[]>;
  /** What could not be attached or sent, and why; '' = nothing. */
  readonly trouble: ReadonlySignal<string>;
  add(files: readonly File[]): Promise<void>;
  remove(index: number): void;
  /** Hands them over with the text; undefined when that is too much for one message, which is said and keeps them. */
  take(text: string): readonly PromptImage[] | undefined;
  /** What was taken last is here again: it was not sent. */
  giveBack(): void;
}

const maxImages = 20;

export function createAttachments(): Attachments {
  const images = signal<readonly PromptImage[]>([]);
  const trouble = signal('');
  let lastTaken: readonly PromptImage[] = [];
  const addOne = async (file: File): Promise<void> => {
    const image = await readImage(file).catch(() => undefined);
    if (!image) trouble.value = `${file.name || 'The image'} could not be attached: it is no image that can be read, or too large.`;
    else if (images.value.length >= maxImages) trouble.value = `${file.name || 'The image'} was not attached: ${maxImages} images fit into one message.`;
    else if (promptLength('', [...images.value, image]) > maxPromptLength) trouble.value = `${file.name || 'The image'} was not attached: together they would be too large for one message.`;
    else images.value = [...images.value, image];
  };
  return {
    images,
    trouble,
    async add(files) {
      trouble.value = '';
      for (const file of files) await addOne(file);
    },
    remove(index) {
      trouble.value = '';
      images.value = images.value.filter((_image, at) => at !== index);
    },
    take(text) {
      const taken = images.value;
      if (promptLength(text, taken) > maxPromptLength) {
        trouble.value = 'This is too much for one message, so nothing was sent. Put long text into a file and mention it with @.';
        return undefined;
      }
      images.value = [];
      trouble.value = '';
      lastTaken = taken;
      return taken;
    },
    giveBack() {
      images.value = [...lastTaken, ...images.value];
      lastTaken = [];
    },
  };
}
