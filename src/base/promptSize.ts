/** What one prompt may hold, its images included, in UTF-16 units. */
export const maxPromptLength = 10_000_000;
/** Of one image in base64: 3.75 MB, under the limit of the model's server. */
export const maxImageLength = 3_932_160;

/** UTF-16 units of a prompt as it travels from the panel. */
export function promptLength(text: string, images: readonly { readonly data: string }[]): number {
  return images.reduce((length, { data }) => length + data.length, text.length);
}
