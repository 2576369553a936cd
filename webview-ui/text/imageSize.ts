/** Pixels of the long edge: more is made smaller by the model's server anyway. */
export const maxImageEdge = 1568;

/** Pure: the size within the limit, in the same proportions. */
export function fitImage(width: number, height: number, maxEdge: number = maxImageEdge): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, maxEdge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Pure: what stands behind the comma of a data URL in base64, and its type; undefined for any other text. */
export function splitDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const match = /^data:([^;,]+);base64,/.exec(url);
  return match ? { mediaType: match[1]!, data: url.slice(match[0].length) } : undefined;
}
